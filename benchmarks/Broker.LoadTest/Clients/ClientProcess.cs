using System.Diagnostics;
using System.Globalization;
using Broker.Benchmarks.NatsNet.Clients;
using Broker.LoadTest.Driver;
using Broker.LoadTest.Servers;

namespace Broker.LoadTest.Clients;

/// <summary>
/// A client of one library in a process of its own, so that its CPU time contains nothing else. The process ends with
/// this object or with this program.
/// </summary>
internal sealed class ClientProcess : IDisposable
{
    private readonly Process _process;
    private readonly CpuMeter _cpu;
    private readonly Target _target;

    private ClientProcess(string library, Process process, Target target)
    {
        Library = library;
        _process = process;
        _cpu = new CpuMeter(process);
        _target = target;
        AppDomain.CurrentDomain.ProcessExit += OnExit;
    }

    /// <summary>The name of the library.</summary>
    public string Library { get; }

    /// <summary>Starts the process and returns when it has connected.</summary>
    /// <exception cref="DriverException">It did not start or not connect.</exception>
    public static ClientProcess Start(string library, Target target)
    {
        string host = Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") is { Length: > 0 } path ? path : "dotnet";
        var start = new ProcessStartInfo(
            host,
            [
                Path.Combine(AppContext.BaseDirectory, "Broker.LoadTest.dll"), ClientProcessCommand.Name, ClientProcessCommand.Library, library,
                ClientProcessCommand.Port, target.Address.EndPoint.Port.ToString(CultureInfo.InvariantCulture),
            ])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        Process process = Process.Start(start) ?? throw new DriverException($"The process of {library} could not be started.");
        var client = new ClientProcess(library, process, target);
        try
        {
            client.AwaitReady();
            return client;
        }
        catch
        {
            client.Dispose();
            throw;
        }
    }

    /// <summary>Does the work of a row once. The counterpart is not a client of either library.</summary>
    /// <exception cref="DriverException">The process has ended, or the server behaves incorrectly.</exception>
    public ClientCost Measure(ClientRow row)
    {
        using Session session = _target.OpenSession();
        RawConnection counterpart = session.Dial();
        if (row.Work == ClientWork.Request)
        {
            var responder = new EchoResponder(counterpart);
            responder.Subscribe();
            session.Start("responder", responder.Run);
        }

        _target.Cpu.Start();
        _cpu.Start();
        _process.StandardInput.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{row.Work} {row.Messages} {row.Together}"));
        _process.StandardInput.Flush();
        if (row.Work is ClientWork.Receive or ClientWork.Read)
        {
            AwaitReady();
            new FrameBlock(Frames.Publish(PlainTraffic.Source, Payloads.Pattern(PlainTraffic.BodySize))).Send(counterpart, row.Messages);
        }

        string[] figures = ReadLine().Split(' ');
        double cpu = _cpu.Stop();
        double serverCpu = _target.Cpu.Stop();
        return new ClientCost(
            row.Messages / double.Parse(figures[0], CultureInfo.InvariantCulture),
            1e6 * cpu / row.Messages,
            1e6 * serverCpu / row.Messages,
            double.Parse(figures[1], CultureInfo.InvariantCulture) / row.Messages);
    }

    public void Dispose()
    {
        AppDomain.CurrentDomain.ProcessExit -= OnExit;
        Kill();
        _process.Dispose();
    }

    private void AwaitReady()
    {
        string line = ReadLine();
        if (line != ClientProcessCommand.Ready)
        {
            throw new DriverException($"The client {Library} wrote '{line}': '{ClientProcessCommand.Ready}' was expected.");
        }
    }

    private string ReadLine() => _process.StandardOutput.ReadLine() ?? throw new DriverException($"The process of {Library} has ended.");

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
