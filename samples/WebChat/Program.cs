using Broker.AspNetCore;
using Broker.Server;

var builder = WebApplication.CreateBuilder(new WebApplicationOptions { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddBroker();

var app = builder.Build();
app.UseDefaultFiles();
app.UseStaticFiles();
// A page of another site may not use the browsers of this one's visitors.
app.MapBrokerWebSocket("/nats", app.Services.GetRequiredService<BrokerServer>(), new NatsWebSocketOptions { SameOrigin = true });
await app.RunAsync();
