using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Servers;

/// <summary>A server as a child process on a free port of the loopback; it ends with this object or with this program.</summary>
internal sealed class ServerProcess : IDisposable
{
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(20);

    private readonly Queue<string> _lastLines = new();

    private ServerProcess(ServerCommand command, Process process, ServerAddress address, int monitoringPort)
    {
        Command = command;
        Process = process;
        Address = address;
        MonitoringPort = monitoringPort;
        process.OutputDataReceived += OnLine;
        process.ErrorDataReceived += OnLine;
        AppDomain.CurrentDomain.ProcessExit += OnExit;
    }

    public ServerCommand Command { get; }

    public Process Process { get; }

    public ServerAddress Address { get; }

    /// <summary>Where its monitoring pages are; 0 for nowhere.</summary>
    public int MonitoringPort { get; }

    /// <summary>The JSON of the INFO line.</summary>
    public string Info { get; private set; } = "";

    /// <summary>How long it took to be there.</summary>
    public StartTimes Times { get; private set; } = new(TimeSpan.Zero, TimeSpan.Zero);

    /// <summary>Returns once the server has answered a PING. Throws <see cref="DriverException"/> with its last words if it does not.</summary>
    public static ServerProcess Start(ServerCommand command, DriverResources resources)
    {
        var address = new ServerAddress(new IPEndPoint(IPAddress.Loopback, FreePort()), command.IsTls ? resources.Certificate : null);
        int monitoringPort = command.IsMonitored ? FreePort() : 0;
        var process = new Process
        {
            StartInfo = new ProcessStartInfo(command.FileName, command.ArgumentsFor(address.EndPoint.Port, address.Certificate, monitoringPort))
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                UseShellExecute = false,
            },
        };
        var server = new ServerProcess(command, process, address, monitoringPort);
        try
        {
            var started = Stopwatch.StartNew();
            process.Start();
            process.BeginOutputReadLine();
            process.BeginErrorReadLine();
            server.AwaitInfo(started);
            server.AwaitReady(resources.Buffers);
            return server;
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            server.Dispose();
            throw new DriverException($"{command.Name} could not be started: {e.Message}", e);
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    public void ThrowIfEnded()
    {
        if (Process.HasExited)
        {
            throw new DriverException($"{Command.Name} has ended with code {Process.ExitCode}. {LastWords()}");
        }
    }

    public void Dispose()
    {
        AppDomain.CurrentDomain.ProcessExit -= OnExit;
        Kill();
        Process.Dispose();
    }

    // On a bare socket, which costs next to nothing to try often: what it measures is another process's start.
    private void AwaitInfo(Stopwatch started)
    {
        Span<byte> first = stackalloc byte[1];
        while (started.Elapsed < StartLimit)
        {
            ThrowIfEnded();
            using var socket = new Socket(Address.EndPoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { ReceiveTimeout = (int)StartLimit.TotalMilliseconds };
            try
            {
                socket.Connect(Address.EndPoint);
                TimeSpan toConnection = started.Elapsed;
                if (socket.Receive(first) == 1)
                {
                    Times = new StartTimes(toConnection, started.Elapsed - toConnection);
                    return;
                }
            }
            catch (SocketException)
            {
                // Not there yet.
            }

            Thread.Sleep(1);
        }
    }

    private void AwaitReady(BufferPool buffers)
    {
        var waited = Stopwatch.StartNew();
        byte[] buffer = buffers.Rent();
        try
        {
            while (true)
            {
                ThrowIfEnded();
                try
                {
                    using var connection = RawConnection.Dial(Address, buffer);
                    Info = connection.Info;
                    return;
                }
                catch (Exception e) when (e is SocketException or ConnectionCutException)
                {
                    if (waited.Elapsed > StartLimit)
                    {
                        throw new DriverException($"{Command.Name} did not answer within {StartLimit.TotalSeconds:0} s. {LastWords()}", e);
                    }

                    Thread.Sleep(10);
                }
            }
        }
        finally
        {
            buffers.Return(buffer);
        }
    }

    private static int FreePort()
    {
        using var probe = new TcpListener(IPAddress.Loopback, 0);
        probe.Start();
        return ((IPEndPoint)probe.LocalEndpoint).Port;
    }

    private void OnLine(object sender, DataReceivedEventArgs e)
    {
        if (e.Data is null)
        {
            return;
        }

        lock (_lastLines)
        {
            _lastLines.Enqueue(e.Data);
            if (_lastLines.Count > 10)
            {
                _lastLines.Dequeue();
            }
        }
    }

    private string LastWords()
    {
        lock (_lastLines)
        {
            return _lastLines.Count == 0 ? "It said nothing." : $"Its last words: {string.Join(" | ", _lastLines)}";
        }
    }

    private void OnExit(object? sender, EventArgs e) => Kill();

    private void Kill()
    {
        try
        {
            Process.Kill(entireProcessTree: true);
            Process.WaitForExit(5_000);
        }
        catch (InvalidOperationException)
        {
            // It never ran or has ended by itself.
        }
    }
}
