[tlu]
position = 0,0,0
role = "auxiliary"
