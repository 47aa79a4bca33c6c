using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;
using Telemetry;

var builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddBroker().AddBrokerClient(settings => settings.Tracing = true).AddZeroMqBridge();
builder.Services.AddHostedService<OrderDesk>();
builder.Services.AddHostedService<ExportProblems>();

builder.Services.AddOpenTelemetry()
    .ConfigureResource(resource => resource.AddService("order-desk"))
    .WithMetrics(metrics => metrics.AddMeter("Broker.Server", "Broker.Leaf", "Broker.Client", "Broker.Bridge").AddOtlpExporter())
    .WithTracing(traces => traces.AddSource("Broker.Client", "Broker.Bridge").AddOtlpExporter());

// A failed start is one line on standard error, below, and not also a log entry with a stack.
builder.Logging.AddFilter("Microsoft.Extensions.Hosting.Internal.Host", LogLevel.Critical);
using IHost host = builder.Build();
try
{
    // The host handles signals before it starts the server and the bridge.
    await host.StartAsync();
}
catch (OperationCanceledException) when (host.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping.IsCancellationRequested)
{
    // A signal came during the start.
}
catch (Exception e)
{
    Console.Error.WriteLine($"Telemetry: {e.Message}");
    return 1;
}

await host.WaitForShutdownAsync();
return 0;
