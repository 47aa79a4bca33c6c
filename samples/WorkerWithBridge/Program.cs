using WorkerWithBridge;

// The settings file is beside the program, whatever the current directory is.
var builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddBroker().AddBrokerClient().AddZeroMqBridge();
builder.Services.AddHostedService<Thermometers>();
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
    Console.Error.WriteLine($"WorkerWithBridge: {e.Message}");
    return 1;
}

await host.WaitForShutdownAsync();
return 0;
