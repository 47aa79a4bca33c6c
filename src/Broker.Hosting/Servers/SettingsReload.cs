using System.Net;
using Broker.Server;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace Broker.Hosting;

/// <summary>Applies a changed configuration to a running server: all of its settings or none.</summary>
/// <remarks>
/// It reads the settings from the options factory. The options monitor would throw wrong settings to the code that
/// changed the file, and would not report them to its listeners.
/// </remarks>
internal sealed class SettingsReload(
    IServiceProvider services, IOptionsFactory<BrokerSettings> factory, IEnumerable<IOptionsChangeTokenSource<BrokerSettings>> sources, ILoggerFactory loggers)
    : IDisposable
{
    private readonly HostingLog _log = new(loggers);
    private readonly List<IDisposable> _watches = [];
    private readonly SemaphoreSlim _turn = new(1, 1);

    public void Watch(BrokerServer server, IReadOnlyList<EndPoint> endPoints, int loops)
    {
        foreach (IOptionsChangeTokenSource<BrokerSettings> source in sources.Where(s => s.Name is null || string.Equals(s.Name, Options.DefaultName, StringComparison.Ordinal)))
        {
            _watches.Add(ChangeToken.OnChange(source.GetChangeToken, () => _ = ReloadAsync(server, endPoints, loops)));
        }
    }

    public void Dispose()
    {
        foreach (IDisposable watch in _watches)
        {
            watch.Dispose();
        }
    }

    private async Task ReloadAsync(BrokerServer server, IReadOnlyList<EndPoint> endPoints, int loops)
    {
        await _turn.WaitAsync().ConfigureAwait(false);
        try
        {
            BrokerSettings settings = factory.Create(Options.DefaultName);
            BrokerServerOptions options = ServerSetup.Build(services, settings);
            if (settings.Loops != loops)
            {
                throw new ArgumentException(Fixed(nameof(BrokerSettings.Loops)));
            }

            await server.ReloadAsync(running => Change(options, running, endPoints)).ConfigureAwait(false);
            _log.Reloaded();
        }
        catch (OptionsValidationException e)
        {
            _log.NotReloaded(string.Join("; ", e.Failures));
        }
        catch (ObjectDisposedException)
        {
            // The server was disposed during the reload.
        }
        catch (Exception e)
        {
            // The binder throws for values that it cannot parse; its message names the key.
            _log.NotReloaded(e.Message);
        }
        finally
        {
            _turn.Release();
        }
    }

    private static string Fixed(string key) => $"{BrokerSettings.Section}:{key} cannot change while the server runs.";

    private static void Change(BrokerServerOptions options, BrokerServerOptions running, IReadOnlyList<EndPoint> endPoints)
    {
        if (!options.EndPoints.SequenceEqual(endPoints))
        {
            throw new ArgumentException(Fixed(nameof(BrokerSettings.Listen)));
        }

        running.ServerName = options.ServerName;
        running.CopyChangeableFrom(options);
    }
}
