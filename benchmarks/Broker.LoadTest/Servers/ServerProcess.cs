using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Broker.LoadTest.Driver;
using Broker.TestKit.Processes;

namespace Broker.LoadTest.Servers;

/// <summary>
/// A server in a child process on a free port of the loopback address. The process ends with this object or with this
/// program.
/// </summary>
internal sealed class ServerProcess : IDisposable
{
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(60);

    private readonly Queue<string> _lastLines = new();
    private LivePages? _pages;

    private ServerProcess(ServerCommand command, Process process, ServerAddress address, int monitoringPort, LeafHub? hub)
    {
        Command = command;
        Process = process;
        Address = address;
        MonitoringPort = monitoringPort;
        Hub = hub;
        process.OutputDataReceived += OnLine;
        process.ErrorDataReceived += OnLine;
        AppDomain.CurrentDomain.ProcessExit += OnExit;
    }

    public ServerCommand Command { get; }

    public Process Process { get; }

    public ServerAddress Address { get; }

    /// <summary>The port of the monitoring pages; 0 for none.</summary>
    public int MonitoringPort { get; }

    /// <summary>The hub that the server has joined as a leaf node; null for none.</summary>
    public LeafHub? Hub { get; }

    /// <summary>The JSON of the INFO line.</summary>
    public string Info { get; private set; } = "";

    /// <summary>The start times of the server.</summary>
    public StartTimes Times { get; private set; } = new(TimeSpan.Zero, TimeSpan.Zero);

    /// <summary>
    /// Starts the server and returns when it has replied to a PING and its monitoring pages accept connections. Throws
    /// <see cref="DriverException"/> with the end of its output if one of them does not happen.
    /// </summary>
    public static ServerProcess Start(ServerCommand command, DriverResources resources)
    {
        var address = new ServerAddress(new IPEndPoint(IPAddress.Loopback, PortSequence.Next()), command.IsTls ? resources.Certificate : null);
        int monitoringPort = command.IsMonitored ? PortSequence.Next() : 0;
        LeafHub? hub = command.IsLeaf ? LeafHub.Start(command.Hub!, resources) : null;
        var process = new Process
        {
            StartInfo = new ProcessStartInfo(command.FileName, command.ArgumentsFor(address.EndPoint.Port, address.Certificate, monitoringPort, hub?.LeafFile))
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                UseShellExecute = false,
            },
        };
        foreach ((string name, string value) in command.Variables)
        {
            process.StartInfo.Environment[name] = value;
        }

        var server = new ServerProcess(command, process, address, monitoringPort, hub);
        try
        {
            var started = Stopwatch.StartNew();
            process.Start();
            process.BeginOutputReadLine();
            process.BeginErrorReadLine();
            server.AwaitInfo(started);
            server.AwaitReady(resources.Buffers);
            server.AwaitPages();
            hub?.AwaitLeaf(command.Name);
            server._pages = command.OpenPages == 0 ? null : LivePages.Open(command.OpenPages, monitoringPort);
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
        _pages?.Dispose();
        Kill();
        Process.Dispose();
        Hub?.Dispose();
    }

    // Uses a plain socket, because frequent attempts must cost little: they run beside the start that is measured.
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
                // The server does not listen yet.
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

    // A server may open this port after the port of its clients. On a busy machine that is much later.
    private void AwaitPages()
    {
        var waited = Stopwatch.StartNew();
        while (MonitoringPort != 0)
        {
            ThrowIfEnded();
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            try
            {
                socket.Connect(IPAddress.Loopback, MonitoringPort);
                return;
            }
            catch (SocketException e)
            {
                if (waited.Elapsed > StartLimit)
                {
                    throw new DriverException($"{Command.Name} did not open the port of its pages within {StartLimit.TotalSeconds:0} s. {LastWords()}", e);
                }

                Thread.Sleep(1);
            }
        }
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
            return _lastLines.Count == 0 ? "It printed nothing." : $"Its last output: {string.Join(" | ", _lastLines)}";
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
            // The process has not started or has ended already.
        }
    }
}
