using WindowsService;

// Windows starts a service in a system folder. The settings are in the program's folder.
var builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddBroker().AddBrokerClient().AddZeroMqBridge(Sensors.Bridge);
builder.Services.AddHostedService<Sensors>();
builder.Services.AddBrokerWindowsService("Sensors");
await builder.Build().RunAsync();
