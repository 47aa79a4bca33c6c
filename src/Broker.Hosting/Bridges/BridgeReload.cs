using Broker.Bridge;
using Broker.Transport;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace Broker.Hosting;

/// <summary>
/// Applies the routes of a changed configuration to a running bridge. Unchanged routes keep running, and so do routes
/// that code has added. If a changed route cannot start, the old route is started again.
/// </summary>
internal sealed class BridgeReload(ILoggerFactory loggers) : IDisposable
{
    // The time limit for delivering messages that are queued for the ZeroMQ programs of a removed route.
    private static readonly TimeSpan Linger = TimeSpan.FromSeconds(2);

    private readonly HostingLog _log = new(loggers);
    private readonly SemaphoreSlim _turn = new(1, 1);
    private readonly Dictionary<string, (string Definition, RouteOptions Options)> _running = new(StringComparer.Ordinal);
    private IDisposable? _watch;

    /// <summary>Starts to watch the configuration for changes.</summary>
    /// <param name="bridge">The running bridge.</param>
    /// <param name="section">The section to watch.</param>
    /// <param name="routes">The configured routes that the bridge was started with.</param>
    /// <param name="read">Reads the configured routes and the bridge's options again after each change.</param>
    public void Watch(
        ZeroMqBridge bridge,
        IConfigurationSection section,
        IReadOnlyDictionary<string, BridgeRouteSettings> routes,
        Func<(IReadOnlyDictionary<string, BridgeRouteSettings> Routes, ZeroMqBridgeOptions Options)> read)
    {
        foreach ((string name, BridgeRouteSettings route) in routes)
        {
            _running.Add(name, (route.Definition, route.Options));
        }

        _watch = ChangeToken.OnChange(section.GetReloadToken, () => _ = ReloadAsync(bridge, read));
    }

    public void Dispose() => _watch?.Dispose();

    private async Task ReloadAsync(ZeroMqBridge bridge, Func<(IReadOnlyDictionary<string, BridgeRouteSettings> Routes, ZeroMqBridgeOptions Options)> read)
    {
        await _turn.WaitAsync().ConfigureAwait(false);
        try
        {
            (IReadOnlyDictionary<string, BridgeRouteSettings>? routes, ZeroMqBridgeOptions? options) = read();
            if (await ChangeAsync(bridge, routes, options).ConfigureAwait(false) is { Count: > 0 } problems)
            {
                _log.RoutesNotReloaded(string.Join("; ", problems));
            }
        }
        catch (OptionsValidationException e)
        {
            _log.RoutesNotReloaded(string.Join("; ", e.Failures));
        }
        catch (ObjectDisposedException)
        {
            // The bridge was disposed during the reload.
        }
        catch (Exception e)
        {
            // The application's callbacks can throw any exception.
            _log.RoutesNotReloaded(e.Message);
        }
        finally
        {
            _turn.Release();
        }
    }

    private async Task<List<string>> ChangeAsync(ZeroMqBridge bridge, IReadOnlyDictionary<string, BridgeRouteSettings> wanted, ZeroMqBridgeOptions options)
    {
        var before = new Dictionary<string, (string Definition, RouteOptions Options)>(_running, StringComparer.Ordinal);
        foreach ((string name, (string definition, _)) in before)
        {
            if (!wanted.TryGetValue(name, out BridgeRouteSettings? route) || !string.Equals(route.Definition, definition, StringComparison.Ordinal))
            {
                await bridge.RemoveRouteAsync(name, Linger).ConfigureAwait(false);
                _running.Remove(name);
            }
        }

        List<string> problems = [];
        int started = 0;
        foreach ((string name, BridgeRouteSettings route) in wanted.Where(route => !_running.ContainsKey(route.Key)))
        {
            // An application's callback has removed this route from the options, so it must not start.
            if (options.Routes.FirstOrDefault(each => string.Equals(each.Name, name, StringComparison.Ordinal)) is not { } changed)
            {
                continue;
            }

            if (await StartAsync(bridge, changed, route.Definition).ConfigureAwait(false) is not { } problem)
            {
                started++;
                continue;
            }

            problems.Add($"{BridgeStart.Section}:Routes:{name}: {problem}");
            if (before.TryGetValue(name, out (string Definition, RouteOptions Options) old) && await StartAsync(bridge, old.Options, old.Definition).ConfigureAwait(false) is { } worse)
            {
                problems.Add($"{BridgeStart.Section}:Routes:{name}, restarting the old route: {worse}");
            }
        }

        int ended = before.Keys.Count(name => !_running.ContainsKey(name));
        if (started + ended > 0)
        {
            _log.RoutesReloaded(started, ended);
        }

        return problems;
    }

    private async Task<string?> StartAsync(ZeroMqBridge bridge, RouteOptions route, string definition)
    {
        try
        {
            await bridge.AddRouteAsync(route).ConfigureAwait(false);
            _running[route.Name] = (definition, route);
            return null;
        }
        catch (Exception e) when (e is ListenException or ArgumentException or FormatException)
        {
            return e.Message;
        }
    }
}
