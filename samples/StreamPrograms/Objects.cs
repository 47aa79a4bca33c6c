using Broker.Client;
using Broker.Client.Streams;

namespace StreamPrograms;

/// <summary>Puts a file into an object store, lists the store, and gets the file back.</summary>
public static class Objects
{
    public static async Task RunAsync(string url, TextWriter output)
    {
        await using var connection = await BrokerConnection.ConnectAsync(url);
        using var streams = connection.Streams();
        var store = await streams.CreateOrUpdateObjectStoreAsync(new ObjectStoreOptions("reports"));
        var path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        await File.WriteAllTextAsync(path, "tea 4, milk 2");
        await using (var file = File.OpenRead(path))
        {
            await store.PutAsync("2026/november", file, new PutObjectOptions { Description = "all orders" });
        }

        await foreach (var info in store.ListAsync())
        {
            output.WriteLine($"{info.Name}: {info.Description}, {info.Size} bytes");
        }

        await using (var file = File.Create(path))
        {
            // This throws DamagedObjectException if a part is missing or the digest is another one.
            await store.GetAsync("2026/november", file);
        }

        output.WriteLine(await File.ReadAllTextAsync(path));
        File.Delete(path);
    }
}
