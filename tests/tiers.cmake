# Placeholder
function(psflip_assign_tiers)
endfunction()
