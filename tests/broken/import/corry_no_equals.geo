[plane0]
number_of_pixels = 1152,576
orientation = 0,0,0
orientation_mode = "xyz"
pixel_pitch = 18.4um,18.4um
position = 0,0,0
spatial_resolution = 4um,4um
material_budget
