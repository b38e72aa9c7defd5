"""A user's mistakes: each line marked `# error:` has to be told by `mypy --strict`, no other one. Never run."""

import adjudge

adjudge.compare([0], {"p": [0]}, kind="ranking")  # error: arg-type
adjudge.compare([0], modles={})  # error: call-arg
adjudge.evaluate([0], [0], kind="ranking")  # error: call-overload
adjudge.evaluate([0], [0], indices=3)  # error: call-overload
adjudge.list_indices("extrinsic")  # error: arg-type
adjudge.polarization([0], [0], [0])  # error: call-arg
adjudge.make_scorer()  # error: call-arg
result = adjudge.evaluate([0], [0])
result["rand"].upper()  # error: attr-defined
result.values = {}  # error: assignment
result[0]  # error: index
