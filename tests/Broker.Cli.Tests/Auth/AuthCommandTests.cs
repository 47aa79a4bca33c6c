using System.Text.Json.Nodes;
using Broker.Cryptography;

namespace Broker.Cli.Tests.Auth;

/// <summary>Tests that <c>broker auth</c> makes tokens, changes them, loses nothing and shows no seed.</summary>
public sealed class AuthCommandTests : IDisposable
{
    private readonly StoreFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task The_store_has_the_files_that_the_page_describes_and_only_their_owner_can_read_them()
    {
        await _folder.FillAsync();
        await _folder.RunAsync("add", "user", "pump");
        string user = _folder.Credentials("pump").PublicKey;
        string account = (await _folder.ClaimsAsync("account", "PLANT"))["sub"]!.ToString();
        string[] files = [.. Directory.GetFiles(_folder.Store, "*", SearchOption.AllDirectories).Select(f => Path.GetRelativePath(_folder.Store, f).Replace('\\', '/'))];

        Assert.Contains("operator.jwt", files);
        Assert.Contains($"accounts/{account}.jwt", files);
        Assert.Contains($"users/{account}/{user}.jwt", files);
        Assert.Contains($"keys/{user}.seed", files);
        Assert.Equal("*", File.ReadAllText(Path.Combine(_folder.Store, ".gitignore")).Trim());
        Assert.DoesNotContain(files, static f => f.EndsWith(".new", StringComparison.Ordinal));
        if (!OperatingSystem.IsWindows())
        {
            const UnixFileMode Others = ~(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
            IEnumerable<string> all = Directory.GetFileSystemEntries(_folder.Store, "*", SearchOption.AllDirectories)
                .Where(static f => !f.EndsWith(".lock", StringComparison.Ordinal)).Append(_folder.Store).Append(_folder.In("pump.creds"));
            foreach (string file in all)
            {
                Assert.Equal(UnixFileMode.None, File.GetUnixFileMode(file) & Others);
            }
        }
    }

    [Fact]
    public async Task A_token_is_signed_by_the_one_above_and_a_server_could_verify_it()
    {
        await _folder.FillAsync();
        await _folder.RunAsync("add", "user", "pump", "--allow-pub", "plant.>,alarms.*", "--deny-sub", ">", "--allow-responses", "1", "--tag", "Site:Oslo");

        JsonObject account = await _folder.ClaimsAsync("account", "PLANT");
        JsonObject user = JwtSigner.Read(_folder.Credentials("pump").Jwt!);

        Assert.Equal((await _folder.ClaimsAsync("operator"))["sub"]!.ToString(), account["iss"]!.ToString());
        Assert.Equal(account["sub"]!.ToString(), user["iss"]!.ToString());
        Assert.Equal(_folder.Credentials("pump").PublicKey, user["sub"]!.ToString());
        Assert.Equal("""["plant.\u003E","alarms.*"]""", user["nats"]!["pub"]!["allow"]!.ToJsonString());
        Assert.Equal("""{"max":1,"ttl":120000000000}""", user["nats"]!["resp"]!.ToJsonString());
        Assert.Equal("""["site:oslo"]""", user["nats"]!["tags"]!.ToJsonString());
        Assert.Null(user["exp"]);
        Assert.Equal("-1", account["nats"]!["limits"]!["conn"]!.ToString());
    }

    [Theory]
    [InlineData("30d", 30 * 24)]
    [InlineData("2w", 14 * 24)]
    [InlineData("12h", 12)]
    public async Task An_expiry_is_a_time_from_now(string text, int hours)
    {
        await _folder.FillAsync();
        await _folder.RunAsync("add", "user", "pump", "--expires", text);

        JsonObject user = await _folder.ClaimsAsync("user", "pump");
        Assert.Equal(hours * 3600L, (long)user["exp"]! - (long)user["iat"]!, 120.0);
    }

    [Fact]
    public async Task An_expiry_is_a_date_or_never()
    {
        await _folder.FillAsync();
        await _folder.RunAsync("add", "user", "pump", "--expires", "2090-01-02");
        Assert.Equal(new DateTimeOffset(2090, 1, 2, 0, 0, 0, TimeSpan.Zero).ToUnixTimeSeconds(), (long)(await _folder.ClaimsAsync("user", "pump"))["exp"]!);
        Assert.Contains("2090-01-02", await _folder.RunAsync("show", "user", "pump"), StringComparison.Ordinal);

        await _folder.RunAsync("edit", "user", "pump", "--expires", "never");
        Assert.Null((await _folder.ClaimsAsync("user", "pump"))["exp"]);
    }

    [Theory]
    [InlineData("tomorrow")]
    [InlineData("2020-01-01")]
    [InlineData("0s")]
    [InlineData("-1d")]
    [InlineData("99999999d")]
    public async Task An_expiry_that_is_none_is_refused(string text)
    {
        await _folder.FillAsync();
        Assert.Contains("--expires", await _folder.FailAsync(ExitCode.Usage, "add", "account", "B", "--expires", text), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_change_keeps_what_is_not_given_also_claims_that_the_command_does_not_know()
    {
        await _folder.FillAsync();
        await _folder.RunAsync("add", "user", "pump", "--allow-pub", "a", "--deny-pub", "b", "--payload", "64KB");
        string key = _folder.Credentials("pump").PublicKey;
        JsonObject claims = await _folder.ClaimsAsync("account", "PLANT");
        claims["nats"]!["mappings"] = new JsonObject { ["x"] = new JsonArray(new JsonObject { ["subject"] = "y", ["weight"] = 100 }) };
        string operatorKey = claims["iss"]!.ToString();
        string jwt = JwtSigner.Sign(NkeyPair.FromSeed(await File.ReadAllTextAsync(Path.Combine(_folder.Store, "keys", operatorKey + ".seed"), TestContext.Current.CancellationToken)), claims);
        await File.WriteAllTextAsync(Path.Combine(_folder.Store, "accounts", claims["sub"] + ".jwt"), jwt, TestContext.Current.CancellationToken);

        await _folder.RunAsync("edit", "account", "PLANT", "--conns", "7");
        await _folder.RunAsync("edit", "user", "pump", "--allow-pub", "", "--subs", "5");

        JsonObject account = await _folder.ClaimsAsync("account", "PLANT");
        Assert.Equal(("y", 7), (account["nats"]!["mappings"]!["x"]![0]!["subject"]!.ToString(), (int)account["nats"]!["limits"]!["conn"]!));
        JsonObject user = JwtSigner.Read(_folder.Credentials("pump").Jwt!);
        Assert.Equal("""{"deny":["b"]}""", user["nats"]!["pub"]!.ToJsonString());
        Assert.Equal((5, 65536, key), ((int)user["nats"]!["subs"]!, (int)user["nats"]!["payload"]!, user["sub"]!.ToString()));
    }

    [Fact]
    public async Task A_role_says_what_its_users_may_do()
    {
        await _folder.FillAsync();
        await _folder.RunAsync("add", "key", "--role", "sensor", "--allow-pub", "plant.{{tag(site)}}.>", "--payload", "1KB");
        await _folder.RunAsync("add", "user", "meter", "--key", "sensor", "--tag", "site:oslo");

        JsonObject user = await _folder.ClaimsAsync("user", "meter");
        JsonObject account = await _folder.ClaimsAsync("account", "PLANT");
        JsonNode scope = account["nats"]!["signing_keys"]![0]!;
        Assert.Equal((scope["key"]!.ToString(), account["sub"]!.ToString()), (user["iss"]!.ToString(), user["nats"]!["issuer_account"]!.ToString()));
        Assert.Equal(["issuer_account", "tags", "type", "version"], user["nats"]!.AsObject().Select(static p => p.Key).Order(StringComparer.Ordinal));
        Assert.Contains("--allow-pub", await _folder.FailAsync(ExitCode.Usage, "add", "user", "b", "--key", "sensor", "--allow-pub", "x"), StringComparison.Ordinal);
        Assert.Contains("no signing key nobody", await _folder.FailAsync(ExitCode.Failure, "add", "user", "b", "--key", "nobody"), StringComparison.Ordinal);

        await _folder.RunAsync("edit", "key", "sensor", "--payload", "2KB");
        Assert.Equal(2048, (int)(await _folder.ClaimsAsync("account", "PLANT"))["nats"]!["signing_keys"]![0]!["template"]!["payload"]!);
        await _folder.RunAsync("revoke", "key", "sensor");
        Assert.Null((await _folder.ClaimsAsync("account", "PLANT"))["nats"]!["signing_keys"]);

        // The account's own key signs the user after that, with rights of its own.
        await _folder.RunAsync("edit", "user", "meter", "--allow-pub", "x");
        user = await _folder.ClaimsAsync("user", "meter");
        Assert.Equal((account["sub"]!.ToString(), -1), (user["iss"]!.ToString(), (int)user["nats"]!["subs"]!));
    }

    [Fact]
    public async Task A_revoked_user_is_shown_so_until_it_has_a_new_token()
    {
        await _folder.FillAsync();
        await _folder.RunAsync("add", "user", "pump");
        await _folder.RunAsync("revoke", "user", "pump");
        Assert.Matches("user +pump .* revoked", await _folder.RunAsync("show"));

        await _folder.RunAsync("edit", "user", "pump");
        Assert.DoesNotContain("revoked", await _folder.RunAsync("show"), StringComparison.Ordinal);
        JsonObject account = await _folder.ClaimsAsync("account", "PLANT");
        Assert.True((long)(await _folder.ClaimsAsync("user", "pump"))["iat"]! > (long)account["nats"]!["revocations"]![_folder.Credentials("pump").PublicKey]!);

        await _folder.RunAsync("revoke", "user", "*");
        Assert.Matches("user +pump .* revoked", await _folder.RunAsync("show"));
    }

    [Fact]
    public async Task A_strict_operator_signs_with_signing_keys_only()
    {
        await _folder.FillAsync("--strict");
        await _folder.RunAsync("add", "user", "pump");

        JsonObject operatorClaims = await _folder.ClaimsAsync("operator");
        JsonObject account = await _folder.ClaimsAsync("account", "PLANT");
        JsonObject user = await _folder.ClaimsAsync("user", "pump");
        Assert.Equal(operatorClaims["nats"]!["signing_keys"]![0]!.ToString(), account["iss"]!.ToString());
        Assert.Equal(account["nats"]!["signing_keys"]![0]!.ToString(), user["iss"]!.ToString());

        // The seed of the operator can be kept elsewhere: only changes of the operator need it.
        File.Delete(Path.Combine(_folder.Store, "keys", operatorClaims["sub"] + ".seed"));
        await _folder.RunAsync("add", "account", "B");
        Assert.Contains("put it back as", await _folder.FailAsync(ExitCode.Failure, "edit", "operator", "--expires", "5y"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_lost_seed_is_named_with_the_file_that_is_missing()
    {
        await _folder.FillAsync();
        string key = (await _folder.ClaimsAsync("operator"))["sub"]!.ToString();
        string file = Path.Combine(_folder.Store, "keys", key + ".seed");
        File.Delete(file);

        Assert.Contains(file, await _folder.FailAsync(ExitCode.Failure, "add", "account", "B"), StringComparison.Ordinal);
        Assert.DoesNotContain("\"B\"", await _folder.RunAsync("show", "--json"), StringComparison.Ordinal);
        Assert.Equal(2, Directory.GetFiles(Path.Combine(_folder.Store, "keys")).Length);
        Assert.Matches($"operator .*{key} .* elsewhere", await _folder.RunAsync("show"));
        await File.WriteAllTextAsync(file, "SOAOCAJBIFQYDIOB4IB", TestContext.Current.CancellationToken);
        Assert.Contains("does not contain a seed", await _folder.FailAsync(ExitCode.Failure, "add", "account", "B"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_existing_key_is_used()
    {
        await _folder.FillAsync();
        var keys = UserCredentials.Generate();
        string file = _folder.In("old.seed");
        await File.WriteAllTextAsync(file, $"some words\n{keys.ExportSeed()}\n", TestContext.Current.CancellationToken);

        await _folder.RunAsync("add", "user", "pump", "--seed-file", file);
        Assert.Equal(keys.PublicKey, _folder.Credentials("pump").PublicKey);
        Assert.Contains("has a user pump", await _folder.FailAsync(ExitCode.Failure, "add", "user", "other", "--seed-file", file), StringComparison.Ordinal);
        Assert.Contains("no seed of an account", await _folder.FailAsync(ExitCode.Failure, "add", "account", "B", "--seed-file", file), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_user_who_keeps_the_seed_gets_only_a_JWT()
    {
        await _folder.FillAsync();
        string key = UserCredentials.Generate().PublicKey;
        string file = _folder.In("pump.jwt");

        await _folder.RunAsync("add", "user", "pump", "--public-key", key, "--out", file);

        Assert.Equal(key, JwtSigner.Read((await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken)).Trim())["sub"]!.ToString());
        Assert.Matches("user +pump .* elsewhere", await _folder.RunAsync("show"));
    }

    [Theory]
    [InlineData("Überwachung Süd/1 \"x\" ../..")]
    [InlineData("👍 > *")]
    [InlineData("a'b$(c)\\")]
    public async Task A_name_may_have_any_characters_that_can_be_shown(string name)
    {
        await _folder.FillAsync();
        await _folder.RunAsync("add", "account", name);
        await _folder.RunAsync("add", "user", name, "--account", name, "--out", _folder.In("x.creds"));

        Assert.Equal(name, (await _folder.ClaimsAsync("user", name, "--account", name))["name"]!.ToString());
        Assert.Contains("--out is missing", await _folder.FailWithoutFileAsync("add", "user", name + "2", "--account", name), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Nothing_is_replaced_by_accident()
    {
        await _folder.FillAsync();
        await _folder.RunAsync("add", "user", "pump");
        string file = _folder.In("pump.creds");
        string before = await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken);

        Assert.Contains("operator ACME already", await _folder.FailAsync(ExitCode.Failure, "init", "OTHER"), StringComparison.Ordinal);
        Assert.Contains("account PLANT", await _folder.FailAsync(ExitCode.Failure, "add", "account", "PLANT"), StringComparison.Ordinal);
        Assert.Contains("user pump", await _folder.FailAsync(ExitCode.Failure, "add", "user", "pump"), StringComparison.Ordinal);
        Assert.Contains("--replace", await _folder.FailAsync(ExitCode.Failure, "add", "user", "other", "--out", file), StringComparison.Ordinal);
        Assert.Equal(before, await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken));
        Assert.DoesNotContain("other", await _folder.RunAsync("show"), StringComparison.Ordinal);
        await _folder.RunAsync("add", "user", "other", "--out", file, "--replace");
        Assert.NotEqual(before, await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task A_wrong_name_is_answered_with_the_names_that_exist()
    {
        Assert.Contains("broker auth init", await _folder.FailAsync(ExitCode.Failure, "show"), StringComparison.Ordinal);
        await _folder.FillAsync();
        await _folder.RunAsync("add", "account", "OFFICE");

        Assert.Contains("OFFICE, PLANT, SYS", await _folder.FailAsync(ExitCode.Failure, "show", "account", "PLAN"), StringComparison.Ordinal);
        Assert.Contains("--account is missing: OFFICE, PLANT", await _folder.FailAsync(ExitCode.Failure, "add", "user", "x"), StringComparison.Ordinal);
        Assert.Contains("not \"a b\"", await _folder.FailAsync(ExitCode.Usage, "add", "user", "x", "--account", "PLANT", "--allow-pub", "a b"), StringComparison.Ordinal);
        Assert.Contains("--source-network", await _folder.FailAsync(ExitCode.Usage, "add", "user", "x", "--account", "PLANT", "--source-network", "here"), StringComparison.Ordinal);
        Assert.Contains("--time", await _folder.FailAsync(ExitCode.Usage, "add", "user", "x", "--account", "PLANT", "--time", "8-9"), StringComparison.Ordinal);
        Assert.DoesNotContain("\"x\"", await _folder.RunAsync("show", "--json"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_token_in_a_file_is_shown_without_a_store()
    {
        await _folder.FillAsync();
        await _folder.RunAsync("add", "user", "pump", "--allow-pub", "plant.>");

        string shown = await _folder.RunAsync("show", "file", _folder.In("pump.creds"));
        Assert.Contains("may publish  plant.>", shown, StringComparison.Ordinal);
        string file = _folder.In("bad.jwt");
        await File.WriteAllTextAsync(file, (await _folder.RunAsync("show", "operator", "--jwt")).Replace("e30", "e31", StringComparison.Ordinal)[..^5], TestContext.Current.CancellationToken);
        Assert.Contains("bad.jwt", await _folder.FailAsync(ExitCode.Failure, "show", "file", file), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Each_row_of_the_list_is_a_JSON_object_on_request()
    {
        await _folder.FillAsync();
        await _folder.RunAsync("add", "key", "--role", "sensor");

        JsonNode[] rows = [.. (await _folder.RunAsync("show", "--json")).Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static l => JsonNode.Parse(l)!)];
        Assert.Equal(["operator ACME", "account PLANT", "key sensor", "account SYS"], rows.Select(static r => $"{r["kind"]} {r["name"]}"));
        Assert.All(rows, static r => Assert.True((bool)r["seed"]!));
    }
}
