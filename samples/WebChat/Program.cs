using Broker.AspNetCore;
using Broker.Server;

var builder = WebApplication.CreateBuilder(new WebApplicationOptions { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddBroker();

var app = builder.Build();
app.UseDefaultFiles();
app.UseStaticFiles();
// Pages of other sites must not connect through the browsers of this site's visitors.
app.MapBrokerWebSocket("/nats", app.Services.GetRequiredService<BrokerServer>(), new NatsWebSocketOptions { SameOrigin = true });
await app.RunAsync();
