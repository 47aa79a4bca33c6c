namespace Broker.Streams.Tests.Store;

public sealed class DiskFileTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("broker-store-").FullName;

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Fact]
    public void A_read_that_does_not_wait_gives_what_a_read_gives_or_nothing()
    {
        using IStoreFile file = new DiskFiles(_directory).Create("file");
        byte[] bytes = new byte[20_000];
        new Random(1).NextBytes(bytes);
        file.Write(bytes, 0);
        byte[] now = new byte[5_000];

        // Not every file system can tell whether bytes are in memory.
        if (file.TryReadNow(now, 4_000))
        {
            Assert.Equal(bytes[4_000..9_000], now);
        }

        Assert.False(file.TryReadNow(now, 15_001));
    }

    [Fact]
    public void A_read_of_a_closed_file_is_an_error_also_if_it_does_not_wait()
    {
        IStoreFile file = new DiskFiles(_directory).Create("file");
        file.Write(new byte[10], 0);
        bool canTell = file.TryReadNow(new byte[10], 0);
        file.Dispose();

        Exception? error = Record.Exception(() => file.TryReadNow(new byte[10], 0));
        Assert.Equal(canTell, error is ObjectDisposedException);
    }
}
