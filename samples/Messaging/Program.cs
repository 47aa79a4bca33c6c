using Messaging;

// dotnet run --project samples/Messaging -- nats://127.0.0.1:4222
string server = args.Length > 0 ? args[0] : "nats://127.0.0.1:4222";
await PublishAndSubscribe.RunAsync(server, Console.Out);
await RequestAndReply.RunAsync(server, Console.Out);
await EncodedOrders.RunAsync(server, Console.Out);
await BoundChannels.RunAsync(server, Console.Out);
