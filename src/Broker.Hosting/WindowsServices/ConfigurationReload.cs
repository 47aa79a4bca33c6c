using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Broker.Hosting;

/// <summary>Reloads the configuration of a host when the service control manager asks for it.</summary>
internal sealed class ConfigurationReload(IServiceProvider services)
{
    /// <summary>
    /// Reloads the configuration. If a file cannot be read, for example while it is written, the method logs the error,
    /// and the old settings stay.
    /// </summary>
    public void Reload()
    {
        try
        {
            (services.GetService<IConfiguration>() as IConfigurationRoot)?.Reload();
        }
        catch (ObjectDisposedException)
        {
            // The host was disposed during the reload.
        }
        catch (Exception e)
        {
            // The outer exception names the file, and the inner exception names the line. The exception must not leave
            // this method: no caller would catch it, and it would end the process.
            string problem = e.InnerException is { } inner ? $"{e.Message} {inner.Message}" : e.Message;
            new HostingLog(services.GetRequiredService<ILoggerFactory>()).NotReloaded(problem);
        }
    }
}
