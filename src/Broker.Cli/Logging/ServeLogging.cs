using Broker.Cli.Terminal;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Logging;

/// <summary>The loggers of one run. They write to the log file, or to standard error if there is no log file.</summary>
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

    /// <param name="settings">The settings with the file and the level.</param>
    /// <param name="screen">Shows the lines if there is no file.</param>
    /// <param name="clock">The clock for the time of the lines.</param>
    /// <param name="events">A second provider, which receives all events and filters them itself, or null.</param>
    /// <exception cref="ServeStartException">The log file cannot be opened.</exception>
    public static ServeLogging Start(ServeSettings settings, Screen screen, TimeProvider clock, ILoggerProvider? events = null)
    {
        LogFile? file = settings.LogFile is { } path
            ? new LogFile(path, text => LogLine.Format(settings.LogTime ? clock.GetLocalNow() : null, LogLevel.Information, "log", text, null), clock)
            {
                Rotation = RotationOf(settings),
            }
            : null;
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

    /// <inheritdoc cref="LineLoggerProvider.ReleaseWarnings"/>
    public void ReleaseWarnings() => _provider.ReleaseWarnings();

    /// <summary>Applies the level and reopens the log file by its name.</summary>
    /// <exception cref="ServeStartException">
    /// The log file cannot be opened. Lines still go to the previous file.
    /// </exception>
    public void Reload(ServeSettings settings)
    {
        if (settings.LogFile is { } path && _file is not null)
        {
            _file.Reopen(path);
            _file.Rotation = RotationOf(settings);
        }

        ApplyLevel(settings);
    }

    public void ApplyLevel(ServeSettings settings) => _provider.Level = LevelOf(settings);

    public void Dispose()
    {
        Factory.Dispose();
        // Disposing the provider writes the last lines, so the file is closed after it.
        _provider.Dispose();
        _file?.Dispose();
    }

    private static LogRotation RotationOf(ServeSettings settings) => new(settings.LogSizeLimit, settings.LogMaxFiles);

    private static LogLevel LevelOf(ServeSettings settings) => settings switch
    {
        { Trace: true } => LogLevel.Trace,
        { Debug: true } => LogLevel.Debug,
        _ => LogLevel.Information,
    };
}
