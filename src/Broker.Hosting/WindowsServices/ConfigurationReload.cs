using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Broker.Hosting;

/// <summary>Reads the configuration of a host again because its service was told to.</summary>
internal sealed class ConfigurationReload(IServiceProvider services)
{
    /// <summary>A file that cannot be read, such as one that is written at this moment, is logged: what runs goes on as it was.</summary>
    public void Reload()
    {
        try
        {
            (services.GetService<IConfiguration>() as IConfigurationRoot)?.Reload();
        }
        catch (ObjectDisposedException)
        {
            // The host has ended meanwhile.
        }
        catch (Exception e)
        {
            // The file is named by the outer one, the place in it by the inner one. Nobody above would catch it: it would end the process.
            string problem = e.InnerException is { } inner ? $"{e.Message} {inner.Message}" : e.Message;
            new HostingLog(services.GetRequiredService<ILoggerFactory>()).NotReloaded(problem);
        }
    }
}
