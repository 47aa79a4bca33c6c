using System.Collections.Concurrent;
using System.Net;
using Broker.Client;
using Broker.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Broker.Hosting.Tests;

/// <summary>A host without the machine's configuration. A test can read its log and change its settings.</summary>
internal sealed class TestHost : IAsyncDisposable
{
    private readonly IHost _host;
    private readonly IConfigurationRoot _configuration;

    private TestHost(IHost host, IConfigurationRoot configuration, RecordedLog log) => (_host, _configuration, Log) = (host, configuration, log);

    public RecordedLog Log { get; }

    public IServiceProvider Services => _host.Services;

    public string Url => $"nats://127.0.0.1:{((IPEndPoint)Services.GetRequiredService<BrokerServer>().EndPoints[0]).Port}";

    /// <summary>
    /// Builds a host with settings in the form of configuration keys, such as <c>Broker:MaxPayload</c>.
    /// </summary>
    public static TestHost Build(Action<IServiceCollection> add, params (string Key, string Value)[] settings)
        => Build(new HostApplicationBuilderSettings(), static _ => { }, add, settings);

    /// <summary>Builds a host whose content root is a given folder.</summary>
    public static TestHost BuildIn(string contentRoot, Action<IServiceCollection> add, params (string Key, string Value)[] settings)
        => Build(new HostApplicationBuilderSettings { ContentRootPath = contentRoot }, static _ => { }, add, settings);

    /// <summary>Builds a host with settings from a file, which is not watched.</summary>
    public static TestHost BuildFrom(string file, Action<IServiceCollection> add)
        => Build(new HostApplicationBuilderSettings(), configuration => configuration.AddJsonFile(file), add);

    private static TestHost Build(
        HostApplicationBuilderSettings host, Action<IConfigurationBuilder> configure, Action<IServiceCollection> add, params (string Key, string Value)[] settings)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(host);
        configure(builder.Configuration);
        // The default time limits are too short for a busy machine.
        string limit = Wait.Limit.ToString();
        settings = [("BrokerClient:ConnectTimeout", limit), ("BrokerClients:other:ConnectTimeout", limit), ("Broker:AuthTimeout", limit), .. settings];
        // The last of several values for one key counts.
        builder.Configuration.AddInMemoryCollection(
            settings.GroupBy(static s => s.Key, StringComparer.OrdinalIgnoreCase).Select(static s => new KeyValuePair<string, string?>(s.Key, s.Last().Value)));
        var log = new RecordedLog();
        builder.Logging.AddProvider(log);
        // A stop has no time limit here; the test's own time limit ends a stop that hangs.
        builder.Services.Configure<HostOptions>(static o => o.ShutdownTimeout = Wait.Limit);
        add(builder.Services);
        return new TestHost(builder.Build(), builder.Configuration, log);
    }

    /// <summary>Connects a client over TCP.</summary>
    public static ClientOptions Patient(string url) => new() { Servers = [url], ConnectTimeout = Wait.Limit };

    public static async Task<TestHost> StartAsync(Action<IServiceCollection> add, params (string Key, string Value)[] settings)
    {
        TestHost host = Build(add, settings);
        try
        {
            await host.StartAsync();
            return host;
        }
        catch
        {
            await host.DisposeAsync();
            throw;
        }
    }

    public Task StartAsync() => StartUnlessAsync(TestContext.Current.CancellationToken);

    public Task StartUnlessAsync(CancellationToken given) => _host.StartAsync(given);

    /// <summary>
    /// Does what <c>host.RunAsync()</c> does: starts, waits for the stop request, stops and disposes.
    /// </summary>
    public Task RunAsync() => _host.RunAsync(TestContext.Current.CancellationToken);

    public Task StopAsync(CancellationToken cancellationToken = default) => _host.StopAsync(cancellationToken);

    /// <summary>Changes settings and triggers a reload, like a saved file.</summary>
    public void Change(params (string Key, string Value)[] settings)
    {
        foreach ((string key, string value) in settings)
        {
            _configuration[key] = value;
        }

        _configuration.Reload();
    }

    public async ValueTask DisposeAsync()
    {
        if (_host is IAsyncDisposable disposable)
        {
            await disposable.DisposeAsync();
        }
        else
        {
            _host.Dispose();
        }
    }
}

/// <summary>The log, as lines with category, event id and level.</summary>
internal sealed class RecordedLog : ILoggerProvider
{
    private readonly ConcurrentQueue<string> _lines = new();

    public string Text => string.Join('\n', _lines);

    public bool Has(string text) => Text.Contains(text, StringComparison.Ordinal);

    public ILogger CreateLogger(string categoryName) => new Logger(categoryName, _lines);

    public void Dispose()
    {
    }

    private sealed class Logger(string category, ConcurrentQueue<string> lines) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
            => lines.Enqueue($"{category}[{eventId.Id}] {logLevel}: {formatter(state, exception)}");
    }
}
