using System.Diagnostics;

namespace Broker.Transport.Tests;

public sealed class BoundedFileTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("bounded-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void A_text_is_read_whole() => Assert.Equal("1234", BoundedFile.ReadText(Write("1234"), 4));

    [Fact]
    public void A_larger_file_is_refused()
        => Assert.Throws<InvalidDataException>(() => BoundedFile.ReadText(Write("12345"), 4));

    [Fact]
    public void An_endless_device_is_refused()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "There is no /dev/zero.");

        Assert.Throws<InvalidDataException>(() => BoundedFile.ReadText("/dev/zero", 1000));
    }

    [Fact]
    public void An_endless_device_is_no_certificate()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "There is no /dev/zero.");

        foreach (ClientTlsOptions options in (ClientTlsOptions[])[new() { AuthorityFile = "/dev/zero" }, new() { CertificateFile = "/dev/zero" }])
        {
            ArgumentException e = Assert.Throws<ArgumentException>(() => new ClientTlsContext(options));
            Assert.Contains("larger than", e.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task A_FIFO_that_nobody_writes_to_ends_the_wait()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "There are no FIFOs.");
        string fifo = Path.Combine(_folder.FullName, "fifo");
        using (var made = Process.Start("mkfifo", [fifo]))
        {
            await made.WaitForExitAsync(TestContext.Current.CancellationToken);
        }

        IOException e = Assert.Throws<IOException>(() => BoundedFile.ReadText(fifo, 1000, TimeSpan.FromMilliseconds(50)));

        Assert.Contains("may be a pipe", e.Message, StringComparison.Ordinal);
        // Ends the read, so that its thread is free again.
        await File.WriteAllTextAsync(fifo, "x", TestContext.Current.CancellationToken);
    }

    private string Write(string text)
    {
        string file = Path.Combine(_folder.FullName, "a");
        File.WriteAllText(file, text);
        return file;
    }
}
