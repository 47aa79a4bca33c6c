using WindowsService;

// A service starts in a folder of Windows: the settings are beside the program.
var builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddBroker().AddBrokerClient().AddZeroMqBridge(Sensors.Bridge);
builder.Services.AddHostedService<Sensors>();
builder.Services.AddBrokerWindowsService("Sensors");
await builder.Build().RunAsync();
