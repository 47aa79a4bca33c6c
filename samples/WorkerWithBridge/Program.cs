using WorkerWithBridge;

// The settings are beside the program, from wherever it is started.
var builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddBroker().AddBrokerClient().AddZeroMqBridge();
builder.Services.AddHostedService<Thermometers>();
await builder.Build().RunAsync();
