using System.Buffers.Binary;
using System.Text.Json;
using Broker.Cli.Tests.Shell;

namespace Broker.Cli.Tests.Streams;

/// <summary>Tests the commands for the directory of a stopped broker.</summary>
public sealed class StoreCommandTests
{
    [Fact]
    public async Task A_whole_directory_is_verified()
    {
        using StoppedStore store = await StoppedStore.MakeAsync();

        (int exitCode, string output, string error) = await ShellRun.OfAsync("stream", "verify", "-sd", store.Data);

        Assert.Equal((ExitCode.Success, "no damage\n"), (exitCode, error));
        Assert.StartsWith($"account $G in {Path.Combine(store.Data, "global")}: ", output, StringComparison.Ordinal);
        Assert.Matches(@"\nstream +messages +lost +last sequence +consumers\nMAILS +20 +0 +20 +0\nORDERS +20 +0 +20 +1\n$", output);
    }

    [Fact]
    public async Task A_damaged_message_is_shown_and_removed_with_consent_and_no_other_one()
    {
        using StoppedStore store = await StoppedStore.MakeAsync();
        store.Damage("order 7.");

        (int exitCode, string output, string error) = await ShellRun.OfAsync("stream", "verify", "--store-dir", store.Data);
        Assert.Equal(ExitCode.Damaged, exitCode);
        Assert.Matches(@"\ndamage: 0+1\.log at \d+, \d+ bytes: a message is damaged: message 7 of the stream ORDERS\n", output);
        Assert.Matches(@"\nORDERS +19 +1 +20 +1\n", output);
        Assert.Equal($"messages are damaged or missing; broker stream repair --store-dir {store.Data} keeps what is whole\n", error);

        byte[] before = await File.ReadAllBytesAsync(store.Log, TestContext.Current.CancellationToken);
        await using (var run = ShellRun.StartTyping("n\n", "stream", "repair", "--store-dir", store.Data))
        {
            Assert.Equal(ExitCode.Failure, await run.EndAsync());
            Assert.Contains("Repair the account $G? Everything that is whole is kept. 1 message is lost. (y/N)\n", run.Error, StringComparison.Ordinal);
        }

        Assert.Equal(before, await File.ReadAllBytesAsync(store.Log, TestContext.Current.CancellationToken));
        (exitCode, output, error) = await ShellRun.OfAsync("stream", "repair", "--store-dir", store.Data, "--yes");
        Assert.Equal((ExitCode.Success, "repaired the account $G: 1 message is lost; 39 messages are there\n"), (exitCode, error));
        Assert.Equal(ExitCode.Success, (await ShellRun.OfAsync("stream", "verify", "-sd", store.Data)).ExitCode);
        Assert.Equal(Enumerable.Range(1, 20).Where(static i => i != 7).Select(static i => $"{i} order {i}."), await store.BodiesAsync("ORDERS"));
        Assert.Equal(Enumerable.Range(1, 20).Select(static i => $"{i} mail {i}."), await store.BodiesAsync("MAILS"));
        Assert.Equal((ExitCode.Success, "the account $G needs no repair\n"), await Repaired(store));
    }

    [Fact]
    public async Task A_stream_that_a_broker_has_refused_is_served_again_after_a_repair()
    {
        using StoppedStore store = await StoppedStore.MakeAsync();
        store.Damage("order 7.");
        await Assert.ThrowsAnyAsync<Exception>(() => store.BodiesAsync("ORDERS"));
        Assert.Equal(20, (await store.BodiesAsync("MAILS")).Length);

        Assert.Equal(ExitCode.Success, (await Repaired(store)).ExitCode);

        Assert.Equal(19, (await store.BodiesAsync("ORDERS")).Length);
    }

    [Fact]
    public async Task The_findings_are_shown_as_json()
    {
        using StoppedStore store = await StoppedStore.MakeAsync();
        store.Damage("mail 3.");

        JsonElement report = JsonDocument.Parse((await ShellRun.OfAsync("stream", "verify", "MAILS", "--store-dir", store.Data, "--json")).Output).RootElement;

        Assert.True(report.GetProperty("damaged").GetBoolean());
        JsonElement finding = report.GetProperty("findings")[0];
        Assert.Equal("damage", finding.GetProperty("kind").GetString());
        Assert.Equal("""[{"stream":"MAILS","first_seq":3,"last_seq":3}]""", finding.GetProperty("lost").GetRawText());
        JsonElement stream = Assert.Single(report.GetProperty("streams").EnumerateArray());
        Assert.Equal(("MAILS", 19, 1), (stream.GetProperty("name").GetString(), stream.GetProperty("messages").GetInt32(), stream.GetProperty("lost").GetInt32()));
        Assert.Equal("{}", JsonDocument.Parse((await ShellRun.OfAsync("stream", "verify", "ORDERS", "--store-dir", store.Data, "--json")).Output)
            .RootElement.TryGetProperty("findings", out JsonElement other) ? other.GetRawText() : "{}");
    }

    [Fact]
    public async Task A_directory_in_use_is_refused()
    {
        using StoppedStore store = await StoppedStore.MakeAsync();
        string backup = Path.Combine(store.Folder, "backup");
        Assert.Equal(ExitCode.Success, (await ShellRun.OfAsync("stream", "backup", backup, "--store-dir", store.Data)).ExitCode);
        await store.ServeAsync(async _ =>
        {
            foreach (string[] command in (string[][])[["verify"], ["repair"], ["backup", backup + "2"], ["restore", backup]])
            {
                (int exitCode, string output, string error) = await ShellRun.OfAsync(["stream", .. command, "--store-dir", store.Data]);
                Assert.Equal((ExitCode.Failure, ""), (exitCode, output));
                Assert.Contains("is in use by another process", error, StringComparison.Ordinal);
            }
        });
    }

    [Theory]
    [InlineData("jetstream", "of a nats-server")]
    [InlineData("$SYS", "of a nats-server")]
    [InlineData("streams", "of a nats-server")]
    [InlineData("letter.txt", "is not a store")]
    public async Task A_folder_that_something_else_has_written_is_refused_and_not_touched(string name, string reason)
    {
        using var folder = new TemporaryFolder();
        Directory.CreateDirectory(Path.Combine(folder.Path, name));

        foreach (string command in (string[])["verify", "repair"])
        {
            (int exitCode, string output, string error) = await ShellRun.OfAsync("stream", command, "--store-dir", folder.Path);
            Assert.Equal((ExitCode.Failure, ""), (exitCode, output));
            Assert.Contains(reason, error, StringComparison.Ordinal);
        }

        Assert.Equal([Path.Combine(folder.Path, name)], Directory.GetFileSystemEntries(folder.Path));
    }

    [Fact]
    public async Task A_newer_version_of_the_format_is_refused_and_not_touched()
    {
        using StoppedStore store = await StoppedStore.MakeAsync();
        string identity = Path.Combine(store.Data, "global", "broker-store");
        byte[] bytes = await File.ReadAllBytesAsync(identity, TestContext.Current.CancellationToken);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(12), 9);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(16), Crc32C(bytes.AsSpan(0, 16)));
        await File.WriteAllBytesAsync(identity, bytes, TestContext.Current.CancellationToken);
        byte[][] before = Contents(store);

        foreach (string[] command in (string[][])[["verify"], ["repair", "--yes"]])
        {
            (int exitCode, string output, string error) = await ShellRun.OfAsync(["stream", .. command, "--store-dir", store.Data]);
            Assert.Equal((ExitCode.Failure, ""), (exitCode, output));
            Assert.Contains("has format version 9", error, StringComparison.Ordinal);
        }

        Assert.Equal(before, Contents(store));
    }

    [Fact]
    public async Task A_backup_is_restored_with_all_sequences_and_consumers()
    {
        using StoppedStore store = await StoppedStore.MakeAsync();
        string backup = Path.Combine(store.Folder, "backup");
        string restored = Path.Combine(store.Folder, "restored");
        string[] expected = await store.BodiesAsync("ORDERS");

        (int exitCode, string output, string error) = await ShellRun.OfAsync("stream", "backup", backup, "--store-dir", store.Data);
        Assert.Equal((ExitCode.Success, $"backed up to {backup}\n"), (exitCode, error));
        Assert.Matches(@"^account +stream +messages +last sequence +consumers\n\$G +MAILS +20 +20 +0\n\$G +ORDERS +20 +20 +1\n$", output);
        (exitCode, output, error) = await ShellRun.OfAsync("stream", "restore", backup, "--store-dir", restored, "--json");
        Assert.Equal((ExitCode.Success, $"restored to {restored}\n"), (exitCode, error));
        Assert.Equal("$G", JsonDocument.Parse(output).RootElement.GetProperty("account").GetString());

        (exitCode, _, error) = await ShellRun.OfAsync("stream", "restore", backup, "--store-dir", restored);
        Assert.Equal(ExitCode.Failure, exitCode);
        Assert.Contains("has these streams already: MAILS, ORDERS. Nothing was changed.", error, StringComparison.Ordinal);
        Directory.Delete(store.Data, recursive: true);
        Directory.Move(restored, store.Data);
        Assert.Equal(expected, await store.BodiesAsync("ORDERS"));
    }

    [Fact]
    public async Task A_damaged_backup_is_refused()
    {
        using StoppedStore store = await StoppedStore.MakeAsync();
        string backup = Path.Combine(store.Folder, "backup");
        await ShellRun.OfAsync("stream", "backup", backup, "--store-dir", store.Data, "--stream", "MAILS");
        string log = Directory.GetFiles(Path.Combine(backup, "global"), "*.log").Order(StringComparer.Ordinal).Last();
        byte[] bytes = await File.ReadAllBytesAsync(log, TestContext.Current.CancellationToken);
        bytes[^1] ^= 1;
        await File.WriteAllBytesAsync(log, bytes, TestContext.Current.CancellationToken);

        (int exitCode, string output, string error) = await ShellRun.OfAsync("stream", "restore", backup, "--store-dir", Path.Combine(store.Folder, "restored"));

        Assert.Equal((ExitCode.Failure, ""), (exitCode, output));
        Assert.Contains("The backup is damaged", error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Path.Combine(store.Folder, "restored")));
    }

    [Fact]
    public async Task Wrong_names_are_named()
    {
        using StoppedStore store = await StoppedStore.MakeAsync();

        Assert.Equal("broker: The directory '/does/not/exist' does not exist.\n", (await ShellRun.OfAsync("stream", "verify", "-sd", "/does/not/exist")).Error);
        Assert.Equal("broker: The account 'APP' has no streams here; the accounts are: $G.\n", (await ShellRun.OfAsync("stream", "verify", "-sd", store.Data, "--account", "APP")).Error);
        (int exitCode, _, string error) = await ShellRun.OfAsync("stream", "verify", "NONE", "-sd", store.Data);
        Assert.Equal((ExitCode.Failure, $"broker: there is no stream NONE in {store.Data}\n"), (exitCode, error));
        Assert.Equal(ExitCode.Usage, (await ShellRun.OfAsync("stream", "verify")).ExitCode);
    }

    [Fact]
    public async Task Without_a_terminal_a_repair_needs_its_flag()
    {
        using StoppedStore store = await StoppedStore.MakeAsync();
        store.Damage("order 7.");
        await using var run = ShellRun.StartWith([], "stream", "repair", "--store-dir", store.Data);

        Assert.Equal(ExitCode.Usage, await run.EndAsync());
        Assert.Contains("--yes does not ask", run.Error, StringComparison.Ordinal);
    }

    private static async Task<(int ExitCode, string Error)> Repaired(StoppedStore store)
    {
        (int exitCode, _, string error) = await ShellRun.OfAsync("stream", "repair", "--store-dir", store.Data, "--yes");
        return (exitCode, error);
    }

    private static byte[][] Contents(StoppedStore store)
        => [.. Directory.GetFiles(store.Data, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal).Select(File.ReadAllBytes)];

    private static uint Crc32C(ReadOnlySpan<byte> bytes)
    {
        uint crc = ~0u;
        foreach (byte b in bytes)
        {
            crc = System.Numerics.BitOperations.Crc32C(crc, b);
        }

        return ~crc;
    }
}
