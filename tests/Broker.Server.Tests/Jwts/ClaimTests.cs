using System.Net;

namespace Broker.Server.Tests.Jwts;

public sealed class ClaimTests
{
    private static readonly JwtKey Operator = JwtKey.ForOperator(1);
    private static readonly JwtKey Account = JwtKey.ForAccount(2);
    private static readonly JwtKey Other = JwtKey.ForAccount(3);
    private static readonly JwtKey User = JwtKey.ForUser(4);

    public static TheoryData<string, string> WrongAccounts => new()
    {
        { "\"limits\":1,", "\"nats.limits\" must be an object" },
        { "\"limits\":{\"conn\":\"1\"},", "\"nats.limits.conn\" must be a whole number" },
        { "\"limits\":{\"conn\":-2},", "\"nats.limits.conn\" must be -1 or more" },
        { "\"limits\":{\"disallow_bearer\":1},", "\"nats.limits.disallow_bearer\" must be true or false" },
        { "\"signing_keys\":{},", "\"nats.signing_keys\" must be a list" },
        { "\"signing_keys\":[\"x\"],", "\"nats.signing_keys\" contains a text that is not the key of an account" },
        { "\"signing_keys\":[1],", "\"nats.signing_keys\" must be an object" },
        { $"\"signing_keys\":[\"{Other}\",\"{Other}\"],", "\"nats.signing_keys\" contains a key twice" },
        { $"\"signing_keys\":[{{\"kind\":\"x\",\"key\":\"{Other}\"}}],", "\"nats.signing_keys.kind\" must be \"user_scope\"" },
        { "\"revocations\":{\"x\":1},", "\"nats.revocations.x\" is neither a public key nor \"*\"" },
        { "\"revocations\":{\"*\":\"1\"},", "\"nats.revocations.*\" must be a whole number" },
        { "\"exports\":[{\"subject\":\"a\",\"type\":\"stream\"}],", "\"nats.exports\" has more entries than \"nats.limits.exports\" allows" },
        { "\"limits\":{\"exports\":-1},\"exports\":[{\"subject\":\"a.*\",\"type\":\"stream\"}],", "\"nats.exports\" has a wildcard, which \"nats.limits.wildcards\" does not allow" },
        { "\"exports\":[{\"subject\":\"a..b\",\"type\":\"stream\"}],", "\"nats.exports[0].subject\" is not a valid subject" },
        { "\"exports\":[{\"subject\":\"a\",\"type\":\"both\"}],", "\"nats.exports[0].type\" must be \"stream\" or \"service\"" },
        { "\"exports\":[{\"subject\":\"a.*\",\"type\":\"stream\",\"account_token_position\":1}],", "\"nats.exports[0].account_token_position\" is not the position of a * in the subject" },
        { $"\"imports\":[{{\"subject\":\"a\",\"type\":\"stream\",\"account\":\"{User}\"}}],", "\"nats.imports[0].account\" is not the key of an account" },
        { $"\"imports\":[{{\"subject\":\"a\",\"type\":\"stream\",\"account\":\"{Other}\"}}],", "\"nats.imports\" has more entries than \"nats.limits.imports\" allows" },
        { "\"default_permissions\":{\"pub\":[]},", "\"nats.default_permissions.pub\" must be an object" },
        { "\"authorization\":{\"auth_users\":[\"U\"]},", "\"nats.authorization.auth_users\" contains a text that is not the key of a user" },
        { $"\"authorization\":{{\"allowed_accounts\":[\"{Other}\"]}},", "\"nats.authorization.auth_users\" is missing: without these users, no service decides about logins" },
        { $"\"authorization\":{{\"auth_users\":[\"{User}\"],\"allowed_accounts\":[\"*\",\"{Other}\"]}},", "\"nats.authorization.allowed_accounts\" must be a list of keys of accounts, or [\"*\"]" },
        { $"\"authorization\":{{\"auth_users\":[\"{User}\"],\"xkey\":\"{Other}\"}},", "\"nats.authorization.xkey\" is not a public curve key" },
        { "\"mappings\":{\"a\":{}},", "\"nats.mappings.a\" must be a list" },
    };

    public static TheoryData<string, string> WrongUsers => new()
    {
        { "\"src\":[\"192.0.2.0\"],", "\"nats.src\" contains a text that is not a network such as 192.0.2.0/24" },
        { "\"src\":[\"192.0.2.0/33\"],", "\"nats.src\" contains a text that is not a network such as 192.0.2.0/24" },
        { "\"times\":[{\"start\":\"8:00\",\"end\":\"09:00:00\"}],", "\"nats.times[0].start\" is not a time of day such as 08:30:00" },
        { "\"times_location\":\"Nowhere/Here\",", "\"nats.times_location\" is not a time zone of this machine" },
        { "\"bearer_token\":\"true\",", "\"nats.bearer_token\" must be true or false" },
        { "\"pub\":{\"allow\":\"a\"},", "\"nats.pub.allow\" must be a list" },
        { "\"pub\":{\"allow\":[1]},", "\"nats.pub.allow\" must be a list of texts" },
        { "\"issuer_account\":\"x\",", "\"nats.issuer_account\" is not the key of an account" },
        { "\"proxy_required\":true,", "\"nats.proxy_required\" is not supported: the server does not know which clients use a proxy" },
        { "\"subs\":-2,", "\"nats.subs\" must be -1 or more" },
    };

    [Theory]
    [InlineData("0", 2 * TimeSpan.TicksPerMinute)]
    [InlineData("-1", Timeout.Infinite * TimeSpan.TicksPerMillisecond)]
    [InlineData("1", 1)]
    [InlineData("101", 2)]
    [InlineData("1000000000", TimeSpan.TicksPerSecond)]
    public void A_time_for_responses_is_rounded_up(string ttl, long ticks)
        => Assert.Equal(ticks, UserOf($"\"resp\":{{\"max\":1,\"ttl\":{ttl}}},").Terms.Permissions.Responses!.Expires.Ticks);

    [Theory]
    [InlineData("0", 2 * TimeSpan.TicksPerMinute)]
    [InlineData("1", 1)]
    [InlineData("101", 2)]
    public void A_threshold_of_a_response_is_rounded_up(string threshold, long ticks)
    {
        string claims = $"{JwtSite.NoLimits},\"exports\":[{{\"subject\":\"a\",\"type\":\"service\",\"response_threshold\":{threshold}}}],\"type\":\"account\",\"version\":2";
        var account = new AccountClaims(Read(Operator.Sign(Account.Public, claims), JwtKind.Account));
        Assert.Equal(ticks, Assert.IsType<ServiceExport>(account.Exports[0].Export).ResponseTimeout.Ticks);
    }

    [Theory]
    [MemberData(nameof(WrongAccounts))]
    public void A_wrong_claim_of_an_account_is_named(string claims, string why)
        => Assert.Equal(why, Assert.Throws<JwtException>(() => new AccountClaims(Read(Operator.Sign(Account.Public, claims + "\"type\":\"account\",\"version\":2"), JwtKind.Account))).Message);

    [Theory]
    [MemberData(nameof(WrongUsers))]
    public void A_wrong_claim_of_a_user_is_named(string claims, string why)
        => Assert.Equal(why, Assert.Throws<JwtException>(() => UserOf(claims)).Message);

    [Theory]
    [InlineData("\"system_account\":\"x\",", "\"nats.system_account\" is not the key of an account")]
    [InlineData("\"signing_keys\":[\"A\"],", "\"nats.signing_keys\" contains a text that is not the key of an operator")]
    [InlineData("\"assert_server_version\":\"new\",", "\"nats.assert_server_version\" is not a version such as 2.9.0")]
    [InlineData("\"strict_signing_key_usage\":0,", "\"nats.strict_signing_key_usage\" must be true or false")]
    public void A_wrong_claim_of_an_operator_is_named(string claims, string why)
        => Assert.Equal(why, Assert.Throws<JwtException>(() => new OperatorClaims(Read(Operator.Sign(Operator.Public, claims + "\"type\":\"operator\",\"version\":2"), JwtKind.Operator))).Message);

    [Fact]
    public void A_missing_limit_is_0_and_minus_1_is_none()
    {
        var account = new AccountClaims(Read(Operator.Sign(Account.Public, "\"limits\":{\"conn\":-1,\"payload\":7},\"type\":\"account\",\"version\":2"), JwtKind.Account));

        Assert.Equal((null, 0, 7), (account.MaxConnections, account.MaxSubscriptions, account.MaxPayload));
    }

    [Theory]
    [InlineData("192.0.2.0/24", "192.0.2.255", true)]
    [InlineData("192.0.2.9/24", "192.0.2.1", true)]
    [InlineData("192.0.2.0/24", "192.0.3.0", false)]
    [InlineData("192.0.2.0/25", "192.0.2.128", false)]
    [InlineData("192.0.2.0/25", "192.0.2.127", true)]
    [InlineData("192.0.2.7/32", "192.0.2.7", true)]
    [InlineData("192.0.2.7/32", "192.0.2.6", false)]
    [InlineData("0.0.0.0/0", "203.0.113.1", true)]
    [InlineData("0.0.0.0/0", "2001:db8::1", false)]
    [InlineData("2001:db8::/33", "2001:db8:7fff::1", true)]
    [InlineData("2001:db8::/33", "2001:db8:8000::1", false)]
    [InlineData("192.0.2.0/24", "::ffff:192.0.2.1", true)]
    public void A_network_decides_which_addresses_may_connect(string network, string address, bool may)
        => Assert.Equal(may, UserOf($"\"src\":[\"{network}\"],").Terms.WhyNotFrom(new IPEndPoint(IPAddress.Parse(address), 1), ClientTransport.Socket) is null);

    [Theory]
    [InlineData("\"standard\"", ClientTransport.Socket, true)]
    [InlineData("\"STANDARD\"", ClientTransport.Stream, true)]
    [InlineData("\"WEBSOCKET\",\"X\"", ClientTransport.Socket, false)]
    [InlineData("\"In_Process\"", ClientTransport.InProcess, true)]
    [InlineData("\"MQTT\"", ClientTransport.Socket, false)]
    [InlineData("", ClientTransport.WebSocket, true)]
    public void The_types_of_connections_decide_which_transports_may_connect(string types, ClientTransport transport, bool may)
        => Assert.Equal(may, UserOf($"\"allowed_connection_types\":[{types}],").Terms.WhyNotFrom(null, transport) is null);

    [Theory]
    [InlineData("08:00:00", "10:00:00", "07:59:59", 0)]
    [InlineData("08:00:00", "10:00:00", "08:00:00", 7200)]
    [InlineData("08:00:00", "10:00:00", "09:59:59", 1)]
    [InlineData("08:00:00", "10:00:00", "10:00:00", 0)]
    [InlineData("22:00:00", "02:00:00", "23:00:00", 10800)]
    [InlineData("22:00:00", "02:00:00", "01:00:00", 3600)]
    [InlineData("22:00:00", "02:00:00", "03:00:00", 0)]
    public void The_times_of_day_decide_until_when_a_user_may_be_connected(string start, string end, string now, int seconds)
    {
        UserTerms terms = UserOf($"\"times\":[{{\"start\":\"{start}\",\"end\":\"{end}\"}}],\"times_location\":\"UTC\",").Terms;
        DateTimeOffset time = new DateTimeOffset(2026, 11, 29, 0, 0, 0, TimeSpan.Zero) + TimeSpan.Parse(now, System.Globalization.CultureInfo.InvariantCulture);

        Assert.Equal(seconds > 0, terms.TryFindEnd(time, out DateTimeOffset until));
        Assert.Equal(seconds, Math.Max(0, (until - time).TotalSeconds) is var left && until > time ? left : 0);
    }

    [Fact]
    public void A_revocation_counts_for_JWTs_that_were_issued_up_to_its_time()
    {
        var account = new AccountClaims(Read(Operator.Sign(Account.Public, $"\"revocations\":{{\"{User}\":1000,\"*\":500}},\"type\":\"account\",\"version\":2"), JwtKind.Account));

        Assert.True(account.Revocations.Contain(User.Public, 1000));
        Assert.False(account.Revocations.Contain(User.Public, 1001));
        Assert.True(account.Revocations.Contain(JwtKey.ForUser(9).Public, 500));
        Assert.False(account.Revocations.Contain(JwtKey.ForUser(9).Public, 501));
    }

    private static UserClaims UserOf(string claims)
        => new(Read(Account.Sign(User.Public, claims + "\"type\":\"user\",\"version\":2"), JwtKind.User));

    private static Jwt Read(string text, JwtKind kind)
        => Jwt.TryRead(text, kind, TestSignatures.One, out Jwt? jwt, out string? reason) ? jwt : throw new InvalidOperationException(reason);
}
