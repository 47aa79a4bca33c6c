using System.Diagnostics;
using System.Globalization;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Servers;

/// <summary>
/// A subscriber in a separate process that is stopped by SIGSTOP. Its kernel keeps the connection open. The process
/// ends with this object or with this program.
/// </summary>
internal sealed class SuspendedReader : IDisposable
{
    private readonly Process _process;

    private SuspendedReader(Process process)
    {
        _process = process;
        AppDomain.CurrentDomain.ProcessExit += OnExit;
    }

    /// <summary>Starts the process and returns when it has subscribed and has been stopped.</summary>
    public static SuspendedReader Start(ServerAddress server, string subject)
    {
        if (OperatingSystem.IsWindows())
        {
            throw new DriverException("No process can be stopped by a signal on Windows.");
        }

        var reader = new SuspendedReader(Process.Start(ReaderCommand.StartInfo(server.EndPoint.Port, subject))
            ?? throw new DriverException("The reader that is to be stopped could not be started."));
        try
        {
            if (reader._process.StandardOutput.ReadLine() != ReaderCommand.Ready)
            {
                throw new DriverException("The reader that is to be stopped has not subscribed.");
            }

            using var stop = Process.Start("kill", ["-STOP", reader._process.Id.ToString(CultureInfo.InvariantCulture)]);
            stop.WaitForExit();
            return stop.ExitCode == 0 ? reader : throw new DriverException("The reader could not be stopped.");
        }
        catch
        {
            reader.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        AppDomain.CurrentDomain.ProcessExit -= OnExit;
        Kill();
        _process.Dispose();
    }

    private void OnExit(object? sender, EventArgs e) => Kill();

    private void Kill()
    {
        try
        {
            _process.Kill();
            _process.WaitForExit();
        }
        catch (InvalidOperationException)
        {
            // The process has ended already.
        }
    }
}
