"""Are there clusters? Tests against data without any, valleys of density, differences of clusters."""
