using Broker.Cli.Terminal;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Logging;

/// <summary>The loggers of one run: to standard error, or to the log file when one is set.</summary>
internal sealed class ServeLogging : IDisposable
{
    private readonly LineLoggerProvider _provider;
    private readonly LogFile? _file;

    private ServeLogging(ILoggerFactory factory, LineLoggerProvider provider, LogFile? file)
    {
        Factory = factory;
        _provider = provider;
        _file = file;
    }

    public ILoggerFactory Factory { get; }

    /// <param name="settings">The file and the level.</param>
    /// <param name="screen">Shows the lines where there is no file.</param>
    /// <param name="clock">Tells the time of the lines.</param>
    /// <param name="events">Is told of everything too, and chooses by itself what it keeps; null for nobody.</param>
    /// <exception cref="ServeStartException">The log file cannot be opened.</exception>
    public static ServeLogging Start(ServeSettings settings, Screen screen, TimeProvider clock, ILoggerProvider? events = null)
    {
        LogFile? file = settings.LogFile is { } path ? new LogFile(path) : null;
        Action<string> write = file is null ? screen.WriteErrorLine : file.WriteLine;
        var provider = new LineLoggerProvider(write, settings.LogTime ? clock : null) { Level = LevelOf(settings) };
        ILoggerFactory factory = LoggerFactory.Create(builder =>
        {
            builder.SetMinimumLevel(LogLevel.Trace).AddProvider(provider);
            if (events is not null)
            {
                builder.AddProvider(events);
            }
        });
        return new ServeLogging(factory, provider, file);
    }

    /// <inheritdoc cref="LineLoggerProvider.Release"/>
    public void Release() => _provider.Release();

    /// <summary>Applies the level, and goes on in the log file that has its name now.</summary>
    /// <exception cref="ServeStartException">The log file cannot be opened; the one before is written on.</exception>
    public void Reload(ServeSettings settings)
    {
        if (settings.LogFile is { } path)
        {
            _file?.Reopen(path);
        }

        ApplyLevel(settings);
    }

    public void ApplyLevel(ServeSettings settings) => _provider.Level = LevelOf(settings);

    public void Dispose()
    {
        Factory.Dispose();
        // The last lines are written out before the file is closed.
        _provider.Dispose();
        _file?.Dispose();
    }

    private static LogLevel LevelOf(ServeSettings settings) => settings switch
    {
        { Trace: true } => LogLevel.Trace,
        { Debug: true } => LogLevel.Debug,
        _ => LogLevel.Information,
    };
}
