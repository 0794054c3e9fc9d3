swift run teatimer
