using System.Diagnostics;
using Broker.Cli.Serving;
using Broker.Cli.Shell;

namespace Broker.Cli.Tests.Shell;

public sealed class BoundedFileTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_text_is_read_whole() => Assert.Equal("1234", BoundedFile.ReadText(_folder.Write("a", "1234"), 4));

    [Fact]
    public void A_larger_file_is_refused()
        => Assert.Throws<InvalidDataException>(() => BoundedFile.ReadText(_folder.Write("a", "12345"), 4));

    [Fact]
    public void An_endless_device_is_refused()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "There is no /dev/zero.");

        Assert.Throws<InvalidDataException>(() => BoundedFile.ReadText("/dev/zero", 1000));
        Assert.Contains("contains no process id", new SignalRequest("stop", "/dev/zero").Send(null), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_FIFO_that_nobody_writes_to_ends_the_wait()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "There are no FIFOs.");
        string fifo = Path.Combine(_folder.Path, "fifo");
        using (Process made = Process.Start("mkfifo", [fifo]))
        {
            await made.WaitForExitAsync(TestContext.Current.CancellationToken);
        }

        IOException e = Assert.Throws<IOException>(() => BoundedFile.ReadText(fifo, 1000, TimeSpan.FromMilliseconds(50)));

        Assert.Contains("may be a pipe", e.Message, StringComparison.Ordinal);
        // Ends the read, so that its thread is free again.
        await File.WriteAllTextAsync(fifo, "x", TestContext.Current.CancellationToken);
    }
}
