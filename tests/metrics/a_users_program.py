"""What a user of scikit-learn might run: grid searches, cross-validation, and reports."""

import numpy as np
from sklearn import metrics
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

X, y = load_wine(return_X_y=True)
names = load_wine().target_names
folds = StratifiedKFold(5, shuffle=True, random_state=0)

print("Trees by depth")
search = GridSearchCV(
    DecisionTreeClassifier(random_state=0),
    {"max_depth": [1, 2, 3, 5], "min_samples_leaf": [1, 5]},
    scoring=metrics.make_scorer(metrics.f1_score, average="macro"),
    cv=folds,
).fit(X, y)
print(search.best_params_, f"{search.best_score_:.4f}")
predicted = cross_val_predict(search.best_estimator_, X, y, cv=folds)
print(metrics.classification_report(y, predicted, target_names=names, digits=3))
print(metrics.confusion_matrix(names[y], names[predicted], labels=["class_2", "class_0", "class_1"]))
print(metrics.multilabel_confusion_matrix(y, predicted).tolist())

print("Logistic regression")
model = make_pipeline(StandardScaler(), LogisticRegression())
scorers = {
    "kappa": metrics.make_scorer(metrics.cohen_kappa_score, weights="quadratic"),
    "loss": metrics.make_scorer(metrics.log_loss, response_method="predict_proba", greater_is_better=False),
    "balanced": metrics.make_scorer(metrics.balanced_accuracy_score, adjusted=True),
}
for name, values in cross_validate(model, X, y, scoring=scorers, cv=folds).items():
    if name.startswith("test"):
        print(f"{name:15} {np.mean(values):.6f} ± {np.std(values):.6f}")
probabilities = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
print(f"{metrics.roc_auc_score(y, probabilities, multi_class='ovo'):.6f}")
print(f"{metrics.top_k_accuracy_score(y, probabilities, k=2):.6f}")

print("Tumours")
X, y = load_breast_cancer(return_X_y=True)
score = cross_val_predict(model, X, y, cv=folds, method="predict_proba")[:, 1]
fpr, tpr, thresholds = metrics.roc_curve(y, score)
print(len(thresholds), f"{metrics.auc(fpr, tpr):.6f} {metrics.average_precision_score(y, score):.6f}")
precision, recall, _ = metrics.precision_recall_curve(y, score)
print(f"{precision[recall >= 0.99].max():.4f} {metrics.brier_score_loss(y, score):.6f}")

print("Iris flowers in clusters")
X, y = load_iris(return_X_y=True)
for k in (2, 3, 4):
    labels = KMeans(k, n_init=5, random_state=0).fit_predict(X)
    outside = metrics.adjusted_rand_score(y, labels), metrics.adjusted_mutual_info_score(y, labels)
    inside = metrics.silhouette_score(X, labels), metrics.davies_bouldin_score(X, labels)
    print(
        k,
        " ".join(f"{value:.6f}" for value in (*outside, *inside)),
        metrics.cluster.contingency_matrix(y, labels),
    )
