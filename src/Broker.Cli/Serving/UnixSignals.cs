using System.Globalization;
using System.Runtime.InteropServices;

namespace Broker.Cli.Serving;

/// <summary>
/// The numbers of signals, some of which differ between Linux and BSD systems, and calls that send or reset signals.
/// </summary>
internal static partial class UnixSignals
{
    public const int HangUp = 1;
    public const int Interrupt = 2;
    public const int Quit = 3;
    public const int Terminate = 15;
    public const int FileSizeExceeded = 25;

    private const nint ByDefault = 0;

    public static int User1 => OperatingSystem.IsLinux() ? 10 : 30;

    public static int User2 => OperatingSystem.IsLinux() ? 12 : 31;

    /// <summary>Sends a signal. Returns null on success, otherwise the error.</summary>
    public static string? Send(int process, int signal)
        => Kill(process, signal) == 0 ? null : Marshal.GetPInvokeErrorMessage(Marshal.GetLastPInvokeError());

    /// <summary>
    /// Resets the signals that this process inherited as ignored, because the runtime installs no handler for an
    /// ignored signal. Signals with a handler are not changed. On other systems than Linux, this method does nothing.
    /// </summary>
    public static void Unignore(params ReadOnlySpan<int> signals)
    {
        ulong ignored = OperatingSystem.IsLinux() ? Ignored() : 0;
        foreach (int signal in signals)
        {
            if ((ignored >> (signal - 1) & 1) != 0)
            {
                _ = SetHandler(signal, ByDefault);
            }
        }
    }

    // Returns the mask of ignored signals; bit 0 is signal 1.
    private static ulong Ignored()
    {
        const string Key = "SigIgn:";
        try
        {
            string? line = File.ReadLines("/proc/self/status").FirstOrDefault(static l => l.StartsWith(Key, StringComparison.Ordinal));
            return line is not null
                && ulong.TryParse(line.AsSpan(Key.Length).Trim(), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out ulong mask)
                ? mask
                : 0;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // Without /proc, the signals are not changed.
            return 0;
        }
    }

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int Kill(int process, int signal);

    [LibraryImport("libc", EntryPoint = "signal", SetLastError = true)]
    private static partial nint SetHandler(int signal, nint handler);
}
