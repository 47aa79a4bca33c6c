using Broker.Bridge;
using WindowsService;

// Windows starts a service in a system folder. The settings are in the program's folder.
var builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddBroker().AddBrokerClient().AddZeroMqBridge(Sensors.Bridge);
builder.Services.AddHostedService<Sensors>();
builder.Services.AddBrokerWindowsService("Sensors");
using IHost host = builder.Build();
try
{
    // The bridge starts when it is resolved, and the server with it. So in a shell a taken port or a wrong setting is one
    // line. A service must first answer the service manager, which then gets the error.
    if (Environment.UserInteractive)
    {
        host.Services.GetRequiredService<ZeroMqBridge>();
    }
}
catch (Exception e)
{
    Console.Error.WriteLine($"WindowsService: {e.Message}");
    return 1;
}

await host.RunAsync();
return 0;
