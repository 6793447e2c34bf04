"""How strong the tests are: small wrong changes of the code by seed, and whether the tests that reach them find them.

python -m tests.mutation dynamics/contact --plain 10 --kernel 20 --seed 3      a room or a file
python -m tests.mutation . --plain 70 --kernel 65                              all rooms
python -m tests.mutation model/frames.py --function rotation_about             all changes of a function
"""
