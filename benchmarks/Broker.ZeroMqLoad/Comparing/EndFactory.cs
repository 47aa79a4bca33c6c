using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Broker.ZeroMqLoad.Comparing;

/// <summary>
/// Starts processes of both kinds. The driver for libzmq is compiled where it runs, when the first of its ends is
/// started.
/// </summary>
internal sealed class EndFactory : IDisposable
{
    private const string Source = "Broker.ZeroMqLoad.Peers.libzmq-driver.c";

    private readonly string _directory = Directory.CreateTempSubdirectory("libzmq-driver-").FullName;
    private string? _driver;

    // The process may be another one: the runtime itself, or a test.
    private static string Own => Path.Combine(AppContext.BaseDirectory, "Broker.ZeroMqLoad" + (OperatingSystem.IsWindows() ? ".exe" : ""));

    private string Driver => _driver ??= CompileDriver();

    public static string NewEndpoint()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return string.Create(CultureInfo.InvariantCulture, $"tcp://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}");
    }

    /// <param name="kind">Whose sockets it has.</param>
    /// <param name="core">The processor that it has; null for any.</param>
    /// <param name="role">What it is.</param>
    /// <param name="binds">Whether it binds.</param>
    /// <param name="endpoint">Where.</param>
    /// <param name="shape">What goes over the link.</param>
    /// <param name="back">
    /// Of a program between two, where receivers come; of a bridge null for a native program in its process.
    /// </param>
    /// <param name="pattern">What passes a program between two.</param>
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

        List<string> arguments = ["end", kind == Kind.Bridge ? "bridge" : role == "proxy" ? "forward" : role, endpoint, "--count", numbers[0], "--warm", numbers[1], "--size", numbers[2], "--mark", mark];
        Add(binds, "--bind");
        Add(shape.Varies, "--vary");
        Add(kind == Kind.Loops, "--loop");
        Add(shape.Turns, "--turn");
        if (shape.Attempts > 0)
        {
            arguments.AddRange(["--attempts", shape.Attempts.ToString(CultureInfo.InvariantCulture)]);
        }

        if (kind == Kind.Bridge)
        {
            arguments.AddRange(["--pattern", passes, "--topics", topics]);
            Add(role == "pub", "--publish");
        }

        if (role is "sub" or "crowd")
        {
            arguments.AddRange(["--peers", numbers[0]]);
        }

        if (back is not null)
        {
            arguments.AddRange(["--back", back]);
        }

        return End.Start(core, Own, arguments);

        void Add(bool isWanted, string flag)
        {
            if (isWanted)
            {
                arguments.Add(flag);
            }
        }
    }

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
        using Process compiler = Process.Start("cc", ["-O2", "-o", driver, source, "-lzmq"]);
        compiler.WaitForExit();
        if (compiler.ExitCode != 0)
        {
            throw new InvalidOperationException("The driver for libzmq does not compile.");
        }

        return driver;
    }
}
