using Broker.Bridge;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;
using Telemetry;

var builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
IConfigurationSection zeroMq = builder.Configuration.GetRequiredSection("ZeroMq");
builder.Services.AddBroker().AddBrokerClient(settings => settings.Tracing = true).AddZeroMqBridge((_, options) => options with
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
builder.Services.AddHostedService<OrderDesk>();
builder.Services.AddHostedService<ExportProblems>();

builder.Services.AddOpenTelemetry()
    .ConfigureResource(resource => resource.AddService("order-desk"))
    .WithMetrics(metrics => metrics.AddMeter("Broker.Server", "Broker.Client", "Broker.Bridge").AddOtlpExporter())
    .WithTracing(traces => traces.AddSource("Broker.Client", "Broker.Bridge").AddOtlpExporter());

IHost host = builder.Build();
try
{
    // The bridge starts when it is resolved, and the server with it. So a taken port or a wrong setting is one line.
    host.Services.GetRequiredService<ZeroMqBridge>();
}
catch (Exception e)
{
    Console.Error.WriteLine($"Telemetry: {e.Message}");
    return 1;
}

await host.RunAsync();
return 0;
