using Broker.Bridge;
using WorkerWithBridge;

// The settings file is beside the program, whatever the current directory is.
var builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddBroker().AddBrokerClient().AddZeroMqBridge();
builder.Services.AddHostedService<Thermometers>();
IHost host = builder.Build();
try
{
    // The bridge starts when it is resolved, and the server with it. So a taken port or a wrong setting is one line.
    host.Services.GetRequiredService<ZeroMqBridge>();
}
catch (Exception e)
{
    Console.Error.WriteLine($"WorkerWithBridge: {e.Message}");
    return 1;
}

await host.RunAsync();
return 0;
