using CompanyWorker;

var builder = Host.CreateApplicationBuilder(args);
builder.Services.AddBroker().AddBrokerClient().AddZeroMqBridge();
builder.Services.AddHostedService<Worker>();
await builder.Build().RunAsync();
