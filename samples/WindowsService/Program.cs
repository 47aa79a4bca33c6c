using WindowsService;

// Windows starts a service in a system folder. The settings are in the program's folder.
var builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddBroker().AddBrokerClient().AddZeroMqBridge();
builder.Services.AddHostedService<Sensors>();
builder.Services.AddBrokerWindowsService("Sensors");
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
    Console.Error.WriteLine($"WindowsService: {e.Message}");
    return 1;
}

await host.WaitForShutdownAsync();
return 0;
