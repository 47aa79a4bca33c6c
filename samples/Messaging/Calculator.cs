using Broker.Client;

namespace Messaging;

/// <summary>A service with an endpoint and its errors, found and asked by another connection.</summary>
public static class Calculator
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var connection = await BrokerConnection.ConnectAsync(url);
        await using var service = connection.StartService("calc", "1.0.0");
        var group = service.AddGroup("calc");
        group.AddEndpoint<int, int>("square", TextEncoder.Instance, value => ValueTask.FromResult(value * value));
        group.AddEndpoint("divide", request => request.RespondError(501, "not implemented"));
        // The server has the endpoints when this returns.
        await connection.PingAsync();

        await using var client = await BrokerConnection.ConnectAsync(url);
        var square = await client.RequestAsync("calc.square", "12");
        output.WriteLine(square.EnsureServiceSuccess().Text);
        var divide = await client.RequestAsync("calc.divide", "1 2");
        output.WriteLine(divide.GetServiceError());

        await foreach (var stats in client.GetServiceStatsAsync("calc"))
        {
            foreach (var endpoint in stats.Endpoints)
            {
                output.WriteLine($"{endpoint.Name}: {endpoint.Requests} requests, {endpoint.Errors} errors");
            }
        }
    }
}
