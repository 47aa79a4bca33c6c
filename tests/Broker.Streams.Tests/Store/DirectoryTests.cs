using System.Buffers.Binary;

namespace Broker.Streams.Tests.Store;

/// <summary>Stores in directories of the real disk.</summary>
public sealed class DirectoryTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("broker-store-").FullName;

    [Fact]
    public async Task A_store_on_disk_survives_a_restart()
    {
        var options = new StoreOptions { SegmentBytes = 256 * 1024, MaxPendingBytes = 64 * 1024 };
        var acks = new Acks();
        using (var store = StreamStore.Open(new DiskFiles(_directory), options))
        {
            store.Create("orders", default, [], acks);
            await Wait.UntilAsync(() => acks.All.Count == 1);
            for (int i = 0; i < 1000; i++)
            {
                while (store.Queue(store.Find("orders")!, new string('x', 1000) + i, completion: acks) == QueueStatus.Full)
                {
                    await Task.Yield();
                }
            }
        }

        using var again = StreamStore.Open(new DiskFiles(_directory), options);

        Assert.True(again.Recovery.IsClean);
        Assert.Equal(1001, acks.All.Count);
        Assert.Equal(1000, again.All("orders").Length);
        Assert.Equal("s " + new string('x', 1000) + 999, again.All("orders")[^1].Text);
        Assert.InRange(Directory.GetFiles(_directory, "*.idx").Length, 4, 20);
    }

    [Fact]
    public void A_second_store_on_the_same_directory_is_refused()
    {
        using var store = StreamStore.Open(new DiskFiles(_directory), StoreExtensions.Small());

        StoreException error = Assert.Throws<StoreException>(() => StreamStore.Open(new DiskFiles(_directory), StoreExtensions.Small()));

        Assert.Contains(_directory, error.Message, StringComparison.Ordinal);
        Assert.Contains("in use", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("jetstream")]
    [InlineData("streams")]
    [InlineData("1.blk")]
    [InlineData("meta.inf")]
    public void A_folder_of_a_nats_server_is_recognised_and_not_touched(string name)
    {
        Directory.CreateDirectory(Path.Combine(_directory, name));

        StoreException error = Assert.Throws<StoreException>(() => StreamStore.Open(new DiskFiles(_directory), StoreExtensions.Small()));

        Assert.Contains("nats-server", error.Message, StringComparison.Ordinal);
        Assert.Equal([Path.Combine(_directory, name)], Directory.GetFileSystemEntries(_directory));
    }

    [Fact]
    public void A_folder_with_other_files_is_refused()
    {
        File.WriteAllText(Path.Combine(_directory, "letter.txt"), "Dear");

        StoreException error = Assert.Throws<StoreException>(() => StreamStore.Open(new DiskFiles(_directory), StoreExtensions.Small()));

        Assert.Contains("letter.txt", error.Message, StringComparison.Ordinal);
        Assert.Single(Directory.GetFileSystemEntries(_directory));
    }

    [Fact]
    public void A_newer_format_is_refused_by_its_number_and_not_touched()
    {
        StreamStore.Open(new DiskFiles(_directory), StoreExtensions.Small()).Dispose();
        string identity = Path.Combine(_directory, StoreIdentity.FileName);
        byte[] bytes = File.ReadAllBytes(identity);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(12), 9);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(16), Checksum.Of(0, bytes.AsSpan(0, 16)));
        File.WriteAllBytes(identity, bytes);
        byte[][] before = Contents();

        StoreException error = Assert.Throws<StoreException>(() => StreamStore.Open(new DiskFiles(_directory), StoreExtensions.Small()));

        Assert.Contains("version 9", error.Message, StringComparison.Ordinal);
        Assert.Equal(before, Contents());
    }

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    private byte[][] Contents() => [.. Directory.GetFiles(_directory).Order(StringComparer.Ordinal).Select(File.ReadAllBytes)];
}
