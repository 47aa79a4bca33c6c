using System.Text.Json.Nodes;
using Broker.Cryptography;

namespace Broker.Cli.Tests.Auth;

/// <summary>Tests the commands of <c>broker auth</c> about exports, imports and activations.</summary>
public sealed class ShareCommandTests : IDisposable
{
    private readonly StoreFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task An_export_has_the_claims_of_its_flags()
    {
        await FillAsync();
        await _folder.RunAsync("add", "export", "plant.>", "--account", "PLANT");
        await _folder.RunAsync(
            "add", "export", "plant.valve.*", "--account", "PLANT", "--type", "service", "--private", "true", "--name", "valve", "--response-type", "Stream", "--response-time", "5s");
        await _folder.RunAsync("add", "export", "orders.*", "--account", "PLANT", "--type", "service", "--token-position", "2");

        JsonArray exports = await ListAsync("PLANT", "exports");
        Assert.Equal("""{"name":"plant.\u003E","subject":"plant.\u003E","type":"stream"}""", exports[0]!.ToJsonString());
        Assert.Equal(
            """{"name":"valve","subject":"plant.valve.*","type":"service","token_req":true,"response_type":"Stream","response_threshold":5000000000}""",
            exports[1]!.ToJsonString());
        Assert.Equal("""{"name":"orders.*","subject":"orders.*","type":"service","account_token_position":2}""", exports[2]!.ToJsonString());

        string shown = await _folder.RunAsync("show", "account", "PLANT");
        Assert.Contains("service plant.valve.*, private, Stream", shown, StringComparison.Ordinal);
        Assert.Contains("service orders.*, with the key of the importer at position 2", shown, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_export_is_changed_and_removed()
    {
        await FillAsync();
        await _folder.RunAsync("add", "export", "plant.*", "--account", "PLANT", "--private", "true");
        await _folder.RunAsync("edit", "export", "plant.*", "--account", "PLANT", "--private", "false", "--token-position", "2");
        Assert.Equal("""[{"name":"plant.*","subject":"plant.*","type":"stream","account_token_position":2}]""", (await ListAsync("PLANT", "exports")).ToJsonString());

        await _folder.RunAsync("edit", "export", "plant.*", "--account", "PLANT", "--token-position", "0");
        Assert.Equal("""[{"name":"plant.*","subject":"plant.*","type":"stream"}]""", (await ListAsync("PLANT", "exports")).ToJsonString());

        await _folder.RunAsync("remove", "export", "plant.*", "--account", "PLANT");
        Assert.Null((await _folder.ClaimsAsync("account", "PLANT"))["nats"]!["exports"]);
    }

    [Fact]
    public async Task An_import_of_a_private_export_has_an_activation_of_the_exporter()
    {
        await FillAsync();
        await _folder.RunAsync("add", "export", "plant.>", "--account", "PLANT", "--private", "true");
        await _folder.RunAsync("add", "import", "plant.a.*", "--account", "OFFICE", "--from", "PLANT", "--local", "works.*");

        var import = (JsonObject)(await ListAsync("OFFICE", "imports"))[0]!;
        JsonObject activation = JwtSigner.Read(import["token"]!.ToString());
        string plant = await KeyAsync("PLANT");
        Assert.Equal(("stream", plant, "works.*"), (import["type"]!.ToString(), import["account"]!.ToString(), import["local_subject"]!.ToString()));
        Assert.Equal((plant, await KeyAsync("OFFICE")), (activation["iss"]!.ToString(), activation["sub"]!.ToString()));
        Assert.Equal("""{"type":"activation","version":2,"subject":"plant.a.*","kind":"stream"}""", activation["nats"]!.ToJsonString());
        Assert.Contains($"stream plant.a.* as works.* of PLANT {plant}, with an activation", await _folder.RunAsync("show", "account", "OFFICE"), StringComparison.Ordinal);

        await _folder.RunAsync("edit", "import", "plant.a.*", "--account", "OFFICE", "--local", "");
        Assert.Null((await ListAsync("OFFICE", "imports"))[0]!["local_subject"]);
        await _folder.RunAsync("remove", "import", "plant.a.*", "--account", "OFFICE", "--from", "PLANT");
        Assert.Null((await _folder.ClaimsAsync("account", "OFFICE"))["nats"]!["imports"]);
    }

    [Fact]
    public async Task An_activation_goes_to_an_account_of_another_store_as_a_file()
    {
        await FillAsync();
        string other = _folder.In("other");
        await _folder.RunAsync("init", "ACME", "--store", other);
        await _folder.RunAsync("add", "account", "LAB", "--store", other);
        string lab = JsonNode.Parse(await _folder.RunAsync("show", "account", "LAB", "--json", "--store", other))!["sub"]!.ToString();
        string plant = await KeyAsync("PLANT");
        string file = _folder.In("lab.activation");
        await _folder.RunAsync("add", "export", "plant.>", "--account", "PLANT", "--type", "service", "--private", "true");
        await _folder.RunAsync("add", "activation", "plant.>", "--account", "PLANT", "--to", lab, "--expires", "30d", "--out", file);

        await _folder.RunAsync("add", "import", "plant.a", "--account", "LAB", "--from", plant, "--type", "service", "--activation", file, "--share", "true", "--store", other);

        string shown = await _folder.RunAsync("show", "account", "LAB", "--store", other);
        Assert.Contains($"service plant.a of {plant}, with an activation until ", shown, StringComparison.Ordinal);
        Assert.Contains("it is for a service", await _folder.FailAsync(1, "add", "import", "plant.b", "--account", "LAB", "--from", plant, "--activation", file, "--store", other), StringComparison.Ordinal);
        Assert.Contains("it is for the subject plant.>", await _folder.FailAsync(1, "add", "import", "x", "--account", "LAB", "--from", plant, "--type", "service", "--activation", file, "--store", other), StringComparison.Ordinal);
        Assert.Contains($"it is for account {lab}", await _folder.FailAsync(1, "add", "import", "plant.a", "--account", "OFFICE", "--from", "PLANT", "--activation", file), StringComparison.Ordinal);
        Assert.Contains("it is the JWT of type account", await _folder.FailAsync(1, "add", "import", "plant.b", "--account", "LAB", "--from", plant, "--type", "service", "--activation", Path.Combine(_folder.Store, "accounts", plant + ".jwt"), "--store", other), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_new_activation_is_later_than_a_revocation()
    {
        await FillAsync();
        string file = _folder.In("OFFICE.activation");
        await _folder.RunAsync("add", "export", "plant.>", "--account", "PLANT", "--private", "true");
        await _folder.RunAsync("add", "activation", "plant.>", "--account", "PLANT", "--to", "OFFICE", "--out", file);
        long before = (long)JwtSigner.Read((await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken)).Trim())["iat"]!;
        await _folder.RunAsync("revoke", "activation", "plant.>", "--account", "PLANT", "--to", "OFFICE");
        await _folder.RunAsync("add", "activation", "plant.>", "--account", "PLANT", "--to", "OFFICE", "--out", file);

        long revoked = (long)(await ListAsync("PLANT", "exports"))[0]!["revocations"]![await KeyAsync("OFFICE")]!;
        long after = (long)JwtSigner.Read((await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken)).Trim())["iat"]!;
        Assert.True(before <= revoked && revoked < after, $"{before} {revoked} {after}");

        await _folder.RunAsync("revoke", "activation", "plant.>", "--account", "PLANT", "--to", "*");
        Assert.Contains(", private, 2 revoked", await _folder.RunAsync("show", "account", "PLANT"), StringComparison.Ordinal);
    }

    public static TheoryData<int, string, string> Mistakes => new()
    {
        { 2, "add export a..b --account PLANT", "the subject must be a subject such as plant.>, not \"a..b\"" },
        { 1, "add export plant.> --account PLANT", "account PLANT exports the stream plant.> already; 'broker auth edit export' changes it" },
        { 2, "add export x.* --account PLANT --token-position 1", "--token-position must be the position of a * in x.*, or 0" },
        { 2, "add export x.* --account PLANT --token-position 2 --private true", "--private and --token-position cannot be combined" },
        { 2, "add export x --account PLANT --response-type Stream", "--response-type needs --type service" },
        { 2, "add export x --account PLANT --type queue", "--type must be stream or service, not \"queue\"" },
        { 1, "edit export x --account PLANT --private true", "account PLANT has no such entry in its exports; it has stream plant.>, service orders.*" },
        { 1, "remove export x --account OFFICE", "account OFFICE has no exports" },
        { 1, "add import x --account OFFICE --from PLANT", "account PLANT does not export x; it exports stream plant.>, service orders.*" },
        { 1, "add import x --account PLANT --from OFFICE", "account OFFICE exports nothing" },
        { 1, "add import x --account OFFICE --from LAB", "there is no account LAB" },
        { 2, "add import plant.a --account PLANT --from PLANT", "--from must be another account than --account" },
        { 2, "add import plant.* --account OFFICE --from PLANT --local here", "--local must have the same wildcards in the same order as plant.*" },
        { 2, "add import plant.a --account OFFICE --from PLANT --share true", "--share needs the import of a service" },
        { 1, "add import orders.x --account OFFICE --from PLANT", "the export orders.* needs the public key of the importer in the subject: orders.A" },
        { 1, "add activation plant.a --account PLANT --to OFFICE", "the export of the stream plant.> needs no activation: it is not private" },
        { 1, "edit account PLANT --exports 1", "account PLANT may have 1 exports" },
        { 1, "edit account PLANT --wildcard-exports false", "account PLANT may not export subjects with wildcards" },
    };

    [Theory]
    [MemberData(nameof(Mistakes))]
    public async Task A_mistake_is_named_and_changes_nothing(int exitCode, string line, string why)
    {
        await FillAsync();
        await _folder.RunAsync("add", "export", "plant.>", "--account", "PLANT");
        await _folder.RunAsync("add", "export", "orders.*", "--account", "PLANT", "--type", "service", "--token-position", "2");
        string before = await AllAsync();

        (int ended, _, string error) = await _folder.EndAsync(line.Split(' '));

        Assert.Equal(exitCode, ended);
        Assert.Contains(why, error, StringComparison.Ordinal);
        Assert.Equal(before, await AllAsync());
    }

    [Fact]
    public async Task A_second_import_of_the_same_subject_is_refused()
    {
        await FillAsync();
        await _folder.RunAsync("add", "export", "plant.>", "--account", "PLANT", "--type", "service");
        await _folder.RunAsync("add", "import", "plant.a", "--account", "OFFICE", "--from", "PLANT");

        Assert.Contains("imports the service plant.a already", await _folder.FailAsync(1, "add", "import", "plant.a", "--account", "OFFICE", "--from", "PLANT"), StringComparison.Ordinal);
        Assert.Contains(
            "the import of the service plant.a has the subject plant.a already; --local chooses another one",
            await _folder.FailAsync(1, "add", "import", "plant.b", "--account", "OFFICE", "--from", "PLANT", "--local", "plant.a"),
            StringComparison.Ordinal);
    }

    private async Task FillAsync()
    {
        await _folder.FillAsync();
        await _folder.RunAsync("add", "account", "OFFICE");
    }

    private async Task<JsonArray> ListAsync(string account, string list) => (JsonArray)(await _folder.ClaimsAsync("account", account))["nats"]![list]!;

    private async Task<string> KeyAsync(string account) => (await _folder.ClaimsAsync("account", account))["sub"]!.ToString();

    private async Task<string> AllAsync() => await _folder.RunAsync("show", "account", "PLANT", "--jwt") + await _folder.RunAsync("show", "account", "OFFICE", "--jwt");
}
