using System.Diagnostics;
using System.Globalization;
using Broker.TestKit.Processes;

namespace Broker.ZeroMqLoad.Comparing;

/// <summary>
/// Starts the processes of all kinds. It compiles the driver for libzmq when the first process with libzmq starts.
/// </summary>
internal sealed class EndFactory : IDisposable
{
    private const string Source = "Broker.ZeroMqLoad.Peers.libzmq-driver.c";

    private readonly string _directory = Directory.CreateTempSubdirectory("libzmq-driver-").FullName;
    private string? _driver;

    private string Driver => _driver ??= CompileDriver();

    public static string NewEndpoint() => string.Create(CultureInfo.InvariantCulture, $"tcp://127.0.0.1:{PortSequence.Next()}");

    /// <param name="kind">The library whose sockets the process uses.</param>
    /// <param name="core">The processor of the process; null for any.</param>
    /// <param name="role">The role of the process.</param>
    /// <param name="binds">Whether it binds.</param>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="shape">The traffic on the connection.</param>
    /// <param name="back">
    /// The endpoint for receivers, for a process between two others. For a bridge, null means a native program in its
    /// process.
    /// </param>
    /// <param name="pattern">The pattern of the traffic through a process between two others.</param>
    public End Start(Kind kind, int? core, string role, bool binds, string endpoint, Shape shape, string? back = null, Pattern pattern = Pattern.Push)
    {
        string[] numbers = [.. new[] { shape.Count, shape.WarmUp, shape.Size }.Select(number => number.ToString(CultureInfo.InvariantCulture))];
        string mark = shape.Mark.ToString(CultureInfo.InvariantCulture);
        string topics = shape.Topics.ToString(CultureInfo.InvariantCulture);
        string passes = pattern.ToString().ToLowerInvariant();
        if (kind == Kind.Libzmq)
        {
            return End.Start(
                core, Driver, [role, binds ? "bind" : "connect", endpoint, .. numbers, shape.Varies ? "1" : "0", mark, topics, .. back is null ? [] : new[] { back, passes }]);
        }

        List<string> arguments = ["end", kind == Kind.Bridge && role != "ingress" ? "bridge" : role == "proxy" ? "forward" : role, endpoint, "--count", numbers[0], "--warm", numbers[1], "--size", numbers[2], "--mark", mark];
        Add(binds, "--bind");
        Add(shape.Varies, "--vary");
        Add(kind == Kind.Loops, "--loop");
        Add(kind == Kind.Arrays, "--arrays");
        bool isCompatible = kind is Kind.CompatibleBytes or Kind.CompatibleMsg;
        if (isCompatible || kind is Kind.NetMqBytes or Kind.NetMqMsg)
        {
            arguments.AddRange(["--netmq", kind is Kind.NetMqBytes or Kind.CompatibleBytes ? "bytes" : "msg"]);
        }

        Add(shape.RunsLoop, "--run-loop");
        if (shape.Attempts > 0)
        {
            arguments.AddRange(["--attempts", shape.Attempts.ToString(CultureInfo.InvariantCulture)]);
        }

        if (kind == Kind.Bridge)
        {
            arguments.AddRange(["--port", shape.Port.ToString(CultureInfo.InvariantCulture)]);
            arguments.AddRange(["--pattern", passes, "--topics", topics]);
            Add(role == "pub", "--publish");
        }

        if (role is "sub" or "crowd")
        {
            arguments.AddRange(["--peers", numbers[0]]);
        }

        if (shape.Subscribers > 0)
        {
            arguments.AddRange(["--peers", shape.Subscribers.ToString(CultureInfo.InvariantCulture)]);
        }

        if (back is not null)
        {
            arguments.AddRange(["--back", back]);
        }

        return End.Start(core, Program(isCompatible ? "Broker.ZeroMqLoad.Compatibility" : "Broker.ZeroMqLoad"), arguments);

        void Add(bool isWanted, string flag)
        {
            if (isWanted)
            {
                arguments.Add(flag);
            }
        }
    }

    // The current process may be another program: the runtime itself, or a test.
    private static string Program(string name) => Path.Combine(AppContext.BaseDirectory, name + (OperatingSystem.IsWindows() ? ".exe" : ""));

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    private string CompileDriver()
    {
        string source = Path.Combine(_directory, "driver.c");
        using (FileStream file = File.Create(source))
        using (Stream text = typeof(EndFactory).Assembly.GetManifestResourceStream(Source)!)
        {
            text.CopyTo(file);
        }

        string driver = Path.Combine(_directory, "driver");
        using var compiler = Process.Start("cc", ["-O2", "-o", driver, source, "-lzmq"]);
        compiler.WaitForExit();
        if (compiler.ExitCode != 0)
        {
            throw new InvalidOperationException("The driver for libzmq does not compile.");
        }

        return driver;
    }
}
