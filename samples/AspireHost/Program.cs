var builder = DistributedApplication.CreateBuilder(args);
var broker = builder.AddBroker("nats").WithZeroMq();
builder.AddProject<Projects.AspireWorker>("worker").WithReference(broker).WaitFor(broker);
await builder.Build().RunAsync();
