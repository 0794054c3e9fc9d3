import Testing
import ViewModelHost
import ViewModelProtocol

@testable import ViewModelConfiguration

@Suite struct AccessRuleTests {
    @Test func `rules name users and groups and their scopes`() throws {
        let text = """
            access:
              - {user: root, scope: admin}
              - group: root
                scope: observe
              - user: 1234
                scope: act
              - {user: 1235, scope: delegate}
            """
        #expect(
            try load(text).host.access.rules == [
                AccessRule(principal: .user(0), scope: .admin),
                AccessRule(principal: .group(0), scope: .observe),
                AccessRule(principal: .user(1234), scope: .act),
                AccessRule(principal: .user(1235), scope: .delegate),
            ]
        )
    }

    @Test func `the environment takes the list as YAML`() throws {
        for text in ["[{user: root, scope: act}]", "[{\"user\": \"root\", \"scope\": \"act\"}]"] {
            let rules = try load(environment: ["VIEWMODELD_ACCESS": text]).host.access.rules
            #expect(rules == [AccessRule(principal: .user(0), scope: .act)])
        }
        let problem = "VIEWMODELD_ACCESS: access[0].scope: expected observe, act, admin or delegate, found nothing"
        #expect(try problems(environment: ["VIEWMODELD_ACCESS": "user: root\n"]) == [problem])
    }

    @Test(
        arguments: [
            ("{user: nobodys, scope: act}", "access[1].user: expected a user of this system, found \"nobodys\""),
            ("{group: nobodys, scope: act}", "access[1].group: expected a group of this system, found \"nobodys\""),
            ("{user: root, scope: all}", "access[1].scope: expected observe, act, admin or delegate, found \"all\""),
            ("{user: root}", "access[1].scope: expected observe, act, admin or delegate, found nothing"),
            ("{scope: act}", "access[1]: expected a user or a group, found neither"),
            ("{user: root, group: root, scope: act}", "access[1]: expected either a user or a group, found both"),
            ("{user: root, scop: act}", "access[1].scop: expected user, group or scope"),
            ("root", "access[1]: expected {user or group: NAME, scope: observe, act, admin or delegate}, found root"),
        ]
    )
    func `a wrong rule is an error with the line of the rule`(rule: String, problem: String) throws {
        let text = "access:\n  - {user: root, scope: act}\n  - \(rule)\n"
        #expect(try problems(text) == ["FILE:3: \(problem)"])
    }

    @Test func `a list is expected`() throws {
        let problem = "access: expected \(AccessRule.expectation), found \"root\""
        #expect(try problems("access: root") == ["FILE:1: \(problem)"])
    }
}
