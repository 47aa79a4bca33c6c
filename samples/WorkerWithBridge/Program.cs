using WorkerWithBridge;

// The settings file is beside the program, whatever the current directory is.
var builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddBroker().AddBrokerClient().AddZeroMqBridge();
builder.Services.AddHostedService<Thermometers>();
await builder.Build().RunAsync();
