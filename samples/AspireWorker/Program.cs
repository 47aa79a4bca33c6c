using AspireWorker;

var builder = Host.CreateApplicationBuilder(args);
builder.Services.AddBrokerClient();
builder.Services.AddHostedService<Greeter>();
await builder.Build().RunAsync();
