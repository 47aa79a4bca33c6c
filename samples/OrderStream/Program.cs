using Broker.Client;
using OrderStream;

// dotnet run --project samples/OrderStream -- nats://127.0.0.1:4222
string server = args.Length > 0 ? args[0] : "nats://127.0.0.1:4222";
try
{
    await PublishOnce.RunAsync(server, Console.Out);
    await HandleOrders.RunAsync(server, Console.Out);
    await ReadHistory.RunAsync(server, Console.Out);
    return 0;
}
catch (Exception e) when (e is ClientException or TimeoutException or FormatException)
{
    // No server with streams is running, or the address is wrong.
    Console.Error.WriteLine($"OrderStream: {e.Message}");
    return 1;
}
