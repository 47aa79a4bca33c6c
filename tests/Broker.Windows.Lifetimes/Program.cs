// Lifetimes ORDER [SETTINGS]: a host with a broker and both lifetimes of a Windows service. ORDER is ours-last or
// theirs-last; theirs is that of Microsoft.Extensions.Hosting.WindowsServices. LifetimeTests run it under Wine.
const string Name = "Lifetimes";

bool oursLast = args[0] == "ours-last";
HostApplicationBuilder builder = Host.CreateApplicationBuilder(
    new HostApplicationBuilderSettings { Args = args[1..], ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddBroker();
if (!oursLast)
{
    builder.Services.AddBrokerWindowsService(Name);
}

builder.Services.AddWindowsService(static options => options.ServiceName = Name);
if (oursLast)
{
    builder.Services.AddBrokerWindowsService(Name);
}

await builder.Build().RunAsync();
