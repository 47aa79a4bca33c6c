using Broker.Bridge;
using CompanyWorker;

var builder = Host.CreateApplicationBuilder(args);
IConfigurationSection zeroMq = builder.Configuration.GetRequiredSection("ZeroMq");
builder.Services
    .AddBroker()
    .AddBrokerClient()
    .AddZeroMqBridge((_, options) => options with
    {
        Routes =
        [
            new PubSubRouteOptions
            {
                Publishers = [new BridgeEndpoint(Bind: true, zeroMq["Publishers"]!)],
                Subscribers = [new BridgeEndpoint(Bind: true, zeroMq["Subscribers"]!)],
            },
        ],
    });
builder.Services.AddHostedService<Worker>();
await builder.Build().RunAsync();
