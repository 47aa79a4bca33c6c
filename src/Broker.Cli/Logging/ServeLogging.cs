using System.Text;
using Broker.Cli.Serving;
using Broker.Cli.Terminal;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Logging;

/// <summary>The loggers of one run: to standard error, or to the log file when one is set.</summary>
internal sealed class ServeLogging : IDisposable
{
    private readonly LineLoggerProvider _provider;
    private readonly TextWriter? _file;

    private ServeLogging(ILoggerFactory factory, LineLoggerProvider provider, TextWriter? file)
    {
        Factory = factory;
        _provider = provider;
        _file = file;
    }

    public ILoggerFactory Factory { get; }

    /// <exception cref="ServeStartException">The log file cannot be opened.</exception>
    public static ServeLogging Start(ServeSettings settings, Screen screen, TimeProvider clock)
    {
        var file = settings.LogFile is { } path ? Open(path) : null;
        Action<string> write = file is null ? screen.WriteErrorLine : file.WriteLine;
        var level = settings switch
        {
            { Trace: true } => LogLevel.Trace,
            { Debug: true } => LogLevel.Debug,
            _ => LogLevel.Information,
        };
        var provider = new LineLoggerProvider(write, clock);
        var factory = LoggerFactory.Create(builder => builder.SetMinimumLevel(level).AddProvider(provider));
        return new ServeLogging(factory, provider, file);
    }

    /// <inheritdoc cref="LineLoggerProvider.Release"/>
    public void Release() => _provider.Release();

    public void Dispose()
    {
        Factory.Dispose();
        // The last lines are written out before the file is closed.
        _provider.Dispose();
        _file?.Dispose();
    }

    private static StreamWriter Open(string path)
    {
        try
        {
            var stream = new FileStream(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
            return new StreamWriter(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false)) { AutoFlush = true };
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new ServeStartException($"cannot write the log file {path}: {e.Message}", e);
        }
    }
}
