using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;

namespace Broker.Benchmarks.Peers;

/// <summary>
/// NATS' client in C, used through a small driver that is compiled on the machine, so that a message costs no call into
/// managed code. If there is no compiler or no library, the run omits these benchmarks and reports the reason.
/// </summary>
internal sealed unsafe class Libnats : IDisposable
{
    /// <summary>The category of the benchmarks that need libnats.</summary>
    internal const string Category = "libnats";

    private const string Source = "Broker.Benchmarks.Peers.libnats-driver.c";

    private static readonly Lazy<(nint Library, string? Missing)> Driver = new(Build);

    private readonly nint _library = Driver.Value.Library;
    private readonly void* _driver;

    /// <param name="port">The server's port.</param>
    /// <param name="atOnce">Whether the publishing thread sends each message itself.</param>
    internal Libnats(int port, bool atOnce = false)
    {
        byte[] url = Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{port}\0"));
        fixed (byte* text = url)
        {
            _driver = ((delegate* unmanaged<byte*, int, void*>)Export("driver_connect"))(text, atOnce ? 1 : 0);
        }

        if (_driver is null)
        {
            throw new InvalidOperationException("libnats cannot connect.");
        }
    }

    /// <summary>Why libnats is not available; null if it is.</summary>
    internal static string? Missing => Driver.Value.Missing;

    /// <summary>The number of messages received so far.</summary>
    internal long Received => Volatile.Read(ref *((delegate* unmanaged<void*, long*>)Export("driver_received"))(_driver));

    internal ulong Sum => ((delegate* unmanaged<void*, ulong>)Export("driver_sum"))(_driver);

    internal void Subscribe(ReadOnlySpan<byte> subject)
    {
        fixed (byte* text = subject)
        {
            Require(((delegate* unmanaged<void*, byte*, int>)Export("driver_subscribe"))(_driver, text));
        }
    }

    internal void Expect(long total) => ((delegate* unmanaged<void*, long, void>)Export("driver_expect"))(_driver, total);

    internal void Wait() => ((delegate* unmanaged<void*, void>)Export("driver_wait"))(_driver);

    internal void Publish(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> body, int messages)
    {
        fixed (byte* text = subject)
        fixed (byte* bytes = body)
        {
            Require(((delegate* unmanaged<void*, byte*, byte*, int, int, int>)Export("driver_publish"))(_driver, text, bytes, body.Length, messages));
        }
    }

    /// <summary>
    /// Sends one request for each element of <paramref name="nanoseconds"/> and stores its duration there.
    /// </summary>
    internal void Request(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> body, Span<long> nanoseconds)
    {
        fixed (byte* text = subject)
        fixed (byte* bytes = body)
        fixed (long* taken = nanoseconds)
        {
            Require(((delegate* unmanaged<void*, byte*, byte*, int, int, long*, int>)Export("driver_request"))(
                _driver, text, bytes, body.Length, nanoseconds.Length, taken));
        }
    }

    /// <summary>Sends requests from several threads.</summary>
    internal void RequestTogether(ReadOnlySpan<byte> subject, ReadOnlySpan<byte> body, int threads, int each)
    {
        fixed (byte* text = subject)
        fixed (byte* bytes = body)
        {
            Require(((delegate* unmanaged<void*, byte*, byte*, int, int, int, int>)Export("driver_request_together"))(
                _driver, text, bytes, body.Length, threads, each));
        }
    }

    public void Dispose() => ((delegate* unmanaged<void*, void>)Export("driver_close"))(_driver);

    private nint Export(string name) => NativeLibrary.GetExport(_library, name);

    private static void Require(int status)
    {
        if (status != 0)
        {
            throw new InvalidOperationException(string.Create(CultureInfo.InvariantCulture, $"libnats failed with status {status}."));
        }
    }

    [SuppressMessage("Design", "CA1031", Justification = "Whatever is wrong with somebody else's library is a reason to go on without it.")]
    private static (nint Library, string? Missing) Build()
    {
        if (!OperatingSystem.IsLinux())
        {
            return (0, "libnats is compared with on Linux only");
        }

        try
        {
            string directory = Directory.CreateTempSubdirectory("libnats-driver-").FullName;
            try
            {
                string source = Path.Combine(directory, "driver.c");
                using (FileStream file = File.Create(source))
                using (Stream text = typeof(Libnats).Assembly.GetManifestResourceStream(Source)!)
                {
                    text.CopyTo(file);
                }

                string library = Path.Combine(directory, "driver.so");
                using Process compiler = Process.Start(new ProcessStartInfo("cc", ["-O2", "-shared", "-fPIC", "-o", library, source, "-lnats", "-lpthread"])
                {
                    RedirectStandardError = true,
                })!;
                string said = compiler.StandardError.ReadToEnd();
                compiler.WaitForExit();
                return compiler.ExitCode == 0 ? (NativeLibrary.Load(library), null) : (0, $"libnats' driver does not compile: {said.Split('\n')[0]}");
            }
            finally
            {
                Directory.Delete(directory, recursive: true);
            }
        }
        catch (Exception e)
        {
            return (0, $"libnats cannot be had: {e.Message}");
        }
    }
}
