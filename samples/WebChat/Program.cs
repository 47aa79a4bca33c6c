using Broker.AspNetCore;
using Broker.Server;

var builder = WebApplication.CreateBuilder(new WebApplicationOptions { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddBroker();
// The host would log a stack for a taken port. The message below is enough.
builder.Logging.AddFilter("Microsoft.Extensions.Hosting.Internal.Host", LogLevel.None);

var app = builder.Build();
try
{
    app.UseDefaultFiles();
    app.UseStaticFiles();
    // Pages of other sites must not connect through the browsers of this site's visitors.
    app.MapBrokerWebSocket("/nats", app.Services.GetRequiredService<BrokerServer>(), new NatsWebSocketOptions { SameOrigin = true });
    await app.RunAsync();
    return 0;
}
catch (Exception e)
{
    // For example a taken port or a wrong setting.
    Console.Error.WriteLine($"WebChat: {e.Message}");
    return 1;
}
