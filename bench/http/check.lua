-- Checks by 1,024 teams in turn, for wrk.
local requests = {}
local next_request = 0

init = function()
    for team = 1, 1024 do
        local body = string.format('{"attributes":{"action":"submit","team":"%d"}}', team)
        requests[team] = wrk.format("POST", "/v1/check", { ["Content-Type"] = "application/json" }, body)
    end
end

request = function()
    next_request = next_request % 1024 + 1
    return requests[next_request]
end
