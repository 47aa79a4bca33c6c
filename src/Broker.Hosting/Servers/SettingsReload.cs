using System.Net;
using Broker.Leaf;
using Broker.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace Broker.Hosting;

/// <summary>Applies a changed configuration to a running server: either all of its settings or none.</summary>
/// <remarks>
/// The settings come from the options factory and not from the options monitor. For wrong settings, the monitor would
/// throw in the code that changed the file, and would not report the error to its listeners.
/// </remarks>
internal sealed class SettingsReload(
    IServiceProvider services, IOptionsFactory<BrokerSettings> factory, IEnumerable<IOptionsChangeTokenSource<BrokerSettings>> sources, ILoggerFactory loggers)
    : IDisposable
{
    private readonly HostingLog _log = new(loggers);
    private readonly List<IDisposable> _watches = [];
    private readonly SemaphoreSlim _turn = new(1, 1);

    public void Watch(BrokerServer server, FixedServerSettings kept)
    {
        foreach (IOptionsChangeTokenSource<BrokerSettings> source in sources.Where(s => s.Name is null || string.Equals(s.Name, Options.DefaultName, StringComparison.Ordinal)))
        {
            _watches.Add(ChangeToken.OnChange(source.GetChangeToken, () => _ = ReloadAsync(server, kept)));
        }
    }

    /// <summary>
    /// Reads the configuration again when a client in the system account requests it. A source that watches its file
    /// has already applied a change of the file.
    /// </summary>
    /// <exception cref="InvalidOperationException">The configuration was not applied.</exception>
    public async Task RereadAsync(BrokerServer server, FixedServerSettings kept)
    {
        (services.GetService<IConfiguration>() as IConfigurationRoot)?.Reload();
        if (await ReloadAsync(server, kept).ConfigureAwait(false) is { } problem)
        {
            throw new InvalidOperationException(problem);
        }
    }

    public void Dispose()
    {
        foreach (IDisposable watch in _watches)
        {
            watch.Dispose();
        }
    }

    // Returns the text of the problem, or null if the settings were applied or the server was disposed.
    private async Task<string?> ReloadAsync(BrokerServer server, FixedServerSettings kept)
    {
        await _turn.WaitAsync().ConfigureAwait(false);
        try
        {
            BrokerSettings settings = factory.Create(Options.DefaultName);
            BrokerServerOptions options = ServerSetup.Build(services, settings);
            if (settings.Loops != kept.Loops)
            {
                throw new ArgumentException(Fixed(nameof(BrokerSettings.Loops)));
            }

            if (!string.Equals(settings.Streams?.Describe(), kept.Streams, StringComparison.Ordinal))
            {
                throw new ArgumentException(Fixed(nameof(BrokerSettings.Streams)));
            }

            LeafNodeOptions links = LeafStart.Check(services, settings, options);
            await server.ReloadAsync(running => Change(options, running, kept.EndPoints)).ConfigureAwait(false);
            await LeafStart.ChangeAsync(services, links).ConfigureAwait(false);
            _log.Reloaded();
            return null;
        }
        catch (OptionsValidationException e)
        {
            return NotReloaded(string.Join("; ", e.Failures));
        }
        catch (ObjectDisposedException)
        {
            // The server was disposed during the reload.
            return null;
        }
        catch (Exception e)
        {
            // The binder throws for values that it cannot parse. Its message names the key.
            return NotReloaded(e.Message);
        }
        finally
        {
            _turn.Release();
        }
    }

    private string NotReloaded(string problem)
    {
        _log.NotReloaded(problem);
        return problem;
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
