"""A session of Spark, if it can be started."""

import shutil
import warnings

import pytest


@pytest.fixture(scope="module")
def spark():
    pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed")
    if shutil.which("java") is None:
        pytest.skip("PySpark needs Java, which is not installed")
    with warnings.catch_warnings():
        # Spark's own start-up warns about its sockets and its log.
        warnings.simplefilter("ignore")
        session = (
            pyspark.sql.SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.session.timeZone", "UTC")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()
